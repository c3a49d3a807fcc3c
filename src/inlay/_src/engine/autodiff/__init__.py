"""autodiff"""
