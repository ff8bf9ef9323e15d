//! Laws of motion: free flight and rotation. Pure functions.
