"""Settings: where each came from, in `layers`; all of them as one value, in `loading`.

`layers` loads nothing that starts slowly.
"""
