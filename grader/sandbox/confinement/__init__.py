"""What a stranger's notebook is kept from, by the kernel.

policy      which system calls pass (data)          syscalls    their numbers per processor (data)
bpf         the policy as a seccomp filter          landlock    which files can be opened
readable    the paths of the Python installation    identity    user id and capabilities
namespaces  what exists at all, where that can be   trial       a throw-away process that tries to break out
level       what all of it together is called       applying    the order in which a child takes it on
"""
