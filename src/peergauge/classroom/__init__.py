"""The instructor's wing: assign graders, grade a class, fill gradebooks, share a class."""
