"""The parts that pyproject.toml cannot state: the version, and a wheel with a program."""

import os

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class PlatformWheel(bdist_wheel):
    """A wheel for any Python 3 on the platform of the program."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    """Marks the wheel as specific to its platform: the program is compiled, but not by setuptools."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    version=os.environ["BLERUN_VERSION"],
    distclass=PlatformDistribution,
    cmdclass={"bdist_wheel": PlatformWheel},
)
