"""A learning platform's door to the inbox, by LTI 1.3: launches, deep links, rosters and grades."""
