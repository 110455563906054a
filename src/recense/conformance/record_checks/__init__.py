"""The checks of a store of records, one file a concern; every module here is imported by
`all_record_checks`.
"""
