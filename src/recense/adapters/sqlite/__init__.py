"""The store on one SQLite file, through apsw.

`store` is the store and how it is opened, `connections` how a connection is made and what the file
must be, `schema` its tables and migrations, `border` where the driver's errors become ours,
`rows` what a row of a table is in our words, `pieces` how long or compressed bytes are kept,
`writing` the two large commits, `ownership` who counts a message that several sessions hold,
`streams` text that is still arriving, `forgetting` what leaves with a session and `scrubbing` the
bytes it left behind, `reading` the snapshot, `checking` the search for damage, and `peeking` the
one question that is asked without opening the store.
"""
