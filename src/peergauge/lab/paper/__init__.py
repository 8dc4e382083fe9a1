"""The experiments of Burrell & Schoenebeck (2022), one short file each."""
