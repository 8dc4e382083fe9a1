"""The research wing: the paper, what lies beyond it, attacks, learning and the leaderboard."""
