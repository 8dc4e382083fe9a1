"""The mechanisms of Burrell & Schoenebeck (2022), one in each file."""
