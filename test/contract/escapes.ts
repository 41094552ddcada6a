import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { canonicalPath } from '../../src/adapters/sandbox/box-mounts.ts'
import type { SandboxDriver } from '../../src/ports/sandbox.ts'
import { openBox } from '../adapters/sandbox/fixtures/box-client.ts'
import { makeSandboxPlace, type SandboxPlace } from '../adapters/sandbox/fixtures/sandbox-place.ts'
import type { SandboxUnderTest } from './sandbox.ts'

/**
 * What a hostile command tries, each line one way out; prints GOT where it got somewhere. `$host` is a file of the host that
 * only we may read, `$other` another session's workspace, `$pid` our own process.
 */
const ways = `
try() { (eval "$1") >/dev/null 2>&1 && echo "GOT $2"; true; }
try 'cat $host' host-file
try 'cat /proc/$pid/root$host || cat /proc/1/root$host' host-file-by-proc
try 'cat /proc/$pid/environ || cat /proc/$pid/cwd/package.json' product
try 'ln -s $host l; cat l' host-file-by-link
try 'ln $host h; cat h' host-file-by-hard-link
try 'cat $other/note' other-workspace
try 'ls $other' other-listing
try 'touch $other/x' other-write
try 'cat /etc/shadow' shadow
try 'grep -qa r1/other /proc/[0-9]*/environ' other-environment
try 'kill -0 $pid' kill-product
try 'echo x >> /etc/passwd' etc
try 'touch /usr/x' usr
try 'touch /opt/countersign/executor/x' executor
try '(exec 9>/proc/sys/kernel/core_pattern)' core-pattern
try '(exec 9>/proc/sysrq-trigger)' sysrq
try '(exec 9</dev/mem) || (exec 9</dev/kmsg) || (exec 9</dev/vda) || (exec 9</dev/sda)' devices
try 'mknod m b 8 0; dd if=m count=1' device-node
try 'mount -t tmpfs none /mnt' mount
try 'mount --bind / /mnt' bind-mount
try 'umount /proc' umount
try 'unshare -m true' mount-namespace
try 'nsenter -t 1 -m true' enter-namespace
try 'chroot / true' chroot
try 'su -c true' su
try 'sudo -n true' sudo
try 'mkdir /sys/fs/cgroup/x' cgroup
try 'cat /var/run/docker.sock || ls /run/docker.sock' engine-socket
try 'setcap cap_net_raw+ep /bin/true' capabilities
try 'modprobe dummy' module
try 'dmesg' kernel-log
try 'hostname other' hostname
`

/** Ways that need a namespace to be closed. */
const apart = `
try 'unshare -r chroot / true' user-namespace-root
try 'exec 9<>/dev/tcp/127.0.0.1/$port' loopback
try 'exec 9<>/dev/tcp/169.254.169.254/80' metadata
try 'exec 9<>/dev/tcp/1.1.1.1/443' internet
try 'grep -q "$word" /proc/net/unix' abstract-socket
try 'test -e /proc/$pid/stat && grep -qa vitest /proc/$pid/cmdline' sees-product
`

/** A10: what a command may try against each driver that confines. */
export function escapeContract({ name, create, confinedTest }: SandboxUnderTest): void {
  describe(`ways out of the sandbox of ${name}`, () => {
    let place: SandboxPlace
    let driver: SandboxDriver

    beforeEach(() => {
      place = makeSandboxPlace()
    })
    afterEach(() => place[Symbol.asyncDispose]())

    confinedTest('BOX-05 none of the known ways leads out of a box', async () => {
      driver = await create(place.options)
      const host = join(place.dir, 'secret')
      writeFileSync(host, 'the-key', { mode: 0o600 })
      const spec = place.spec('r1/other')
      await using other = await openBox(driver, spec)
      await other.bash('echo private > note')
      const word = `countersign-${process.pid}`
      const server = createServer((socket) => socket.end('reached'))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const hidden = createServer().listen(`\0${word}`)
      try {
        const address = server.address()
        const port = typeof address === 'object' ? address?.port : 0
        const facts = `host=${host} other=${canonicalPath(spec.workspace)} pid=${process.pid} port=${port} word=${word}`
        await using client = await openBox(driver, place.spec('r1/c1'))
        const tried = `${facts}\n${ways}${name === 'process' ? '' : apart}`
        expect(await client.script(`${tried}\necho end`, 60)).toBe('end\n')
      } finally {
        server.close()
        hidden.close()
      }
      expect(existsSync(join(canonicalPath(spec.workspace), 'x'))).toBe(false)
    })

    confinedTest('BOX-03 BASH-04 neither much output nor odd files take a box along', async () => {
      driver = await create(place.options)
      const spec = place.spec('r1/c1')
      mkdirSync(spec.workspace, { recursive: true })
      await using client = await openBox(driver, spec)
      const flood = await client.script('head -c 30000000 /dev/zero | tr "\\\\0" a; echo end', 60)
      expect(flood.length).toBeLessThan(2_100_000)
      expect(flood).toContain('end')
      await client.script('mkfifo f; ln -s f g; ln -s loop loop; mkdir d; ln -s ../d d/up; true')
      expect(
        await client.bash('timeout 1 cat f; find -L . 2>/dev/null | wc -l; echo fine', 20),
      ).toContain('fine')
      expect(await client.bash('echo alive')).toContain('alive')
    })
  })
}
