"""SEIKO: sequential equilibrium inverse kinematics optimisation [Rouxel2022]_."""
