from depthjax.scans.affine import affine_scan as affine_scan
from depthjax.scans.gated import gated_scan as gated_scan
from depthjax.scans.householder import householder_scan as householder_scan
from depthjax.scans.products import matrix_affine_scan as matrix_affine_scan
from depthjax.scans.products import matrix_products as matrix_products
from depthjax.scans.sums import prefix_sum as prefix_sum
from depthjax.scans.tables import prefix_products as prefix_products
