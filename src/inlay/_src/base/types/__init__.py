"""types"""
