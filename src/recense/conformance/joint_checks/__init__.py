"""The checks of two stores on one place, one file a concern; every module here is imported by
`all_joint_checks`.
"""
