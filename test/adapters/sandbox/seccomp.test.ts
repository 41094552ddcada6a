import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callNumbers, filterProgram } from '../../../src/adapters/sandbox/seccomp/filter-program.ts'

const none: Readonly<Record<string, number>> = {}
const allowed = 0x7fff_0000
const refused = (errno: number) => 0x0005_0000 | errno

/** The kernel's answer: runs the compiled program on one call. */
function answer(program: Buffer, data: Buffer): number {
  let loaded = 0
  for (let at = 0; ; at += 1) {
    const code = program.readUInt16LE(at * 8)
    const [ifTrue, ifFalse] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)]
    const value = program.readUInt32LE(at * 8 + 4)
    if (code === 0x06) return value
    if (code === 0x20) loaded = data.readUInt32LE(value)
    else {
      const tests = new Map([
        [0x15, loaded === value],
        [0x35, loaded >= value],
        [0x45, (loaded & value) !== 0],
      ])
      at += tests.get(code) ? ifTrue : ifFalse
    }
  }
}

function call(arch: 'x64' | 'arm64', number: number, args: readonly number[], audit?: number) {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(audit ?? callNumbers(arch)?.audit ?? 0, 4)
  for (const [index, value] of args.entries()) data.writeUInt32LE(value, 16 + 8 * index)
  return data
}

const program = (arch: string, keepsSetgid = false) =>
  filterProgram(arch, keepsSetgid) ?? Buffer.alloc(0)

const modes: Readonly<Record<string, (mode: number) => readonly number[]>> = {
  chmod: (mode) => [0, mode],
  fchmod: (mode) => [3, mode],
  fchmodat: (mode) => [0, 0, mode],
  fchmodat2: (mode) => [0, 0, mode, 0],
  creat: (mode) => [0, mode],
  open: (mode) => [0, 0o102, mode],
  openat: (mode) => [0, 0, 0o20200002, mode],
  mknod: (mode) => [0, 0o100000 | mode],
  mknodat: (mode) => [0, 0, 0o100000 | mode],
}

test.each(['x64', 'arm64'] as const)(
  'THREAT-31 on %s no call can set a setuid or setgid bit',
  (arch) => {
    const numbers = callNumbers(arch)?.numbers ?? {}
    const known = Object.keys(modes).filter((name) => numbers[name] !== undefined)
    expect(known.length).toBeGreaterThanOrEqual(arch === 'x64' ? 9 : 5)
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.integer({ min: 0, max: 0o7777 }), (name, mode) => {
        const data = call(arch, numbers[name] ?? -1, modes[name]?.(mode) ?? [])
        const isSet = (mode & 0o6000) !== 0
        expect(answer(program(arch), data)).toBe(isSet ? refused(1) : allowed)
        const isUser = (mode & 0o4000) !== 0
        expect(answer(program(arch, true), data)).toBe(isUser ? refused(1) : allowed)
      }),
    )
  },
)

test.each(['x64', 'arm64'] as const)(
  'THREAT-31 on %s other calls are allowed, and other tables are not',
  (arch) => {
    const { audit = 0, numbers = none } = callNumbers(arch) ?? {}
    const verdict = (name: string, ...args: number[]) =>
      answer(program(arch), call(arch, numbers[name] ?? -1, args))
    // Without O_CREAT the mode is undefined.
    expect(verdict('openat', 0, 0, 0, 0o7777)).toBe(allowed)
    expect(verdict('mknodat', 0, 0, 0o010644)).toBe(allowed)
    for (const type of [0o020000, 0o060000]) expect(verdict('mknodat', 0, 0, type)).toBe(refused(1))
    expect(verdict('clone', 17)).toBe(allowed)
    expect(verdict('clone', 0x1000_0011)).toBe(refused(1))
    expect(verdict('unshare', 0x1000_0000)).toBe(refused(1))
    for (const name of ['openat2', 'io_uring_setup', 'keyctl', 'clone3', 'pidfd_getfd'])
      expect(verdict(name)).toBe(refused(38))
    const others = Array.from({ length: 460 }, (_, number) => number).filter(
      (number) => !Object.values(numbers).includes(number),
    )
    for (const number of others) expect(answer(program(arch), call(arch, number, []))).toBe(allowed)
    expect(answer(program(arch), call(arch, 15, [0, 0o4755], 0x4000_0003))).toBe(refused(38))
    if (arch === 'x64')
      expect(answer(program(arch), call(arch, 0x4000_005a, [0, 0o4755], audit))).toBe(refused(38))
  },
)

test('THREAT-31 an unknown processor has no filter', () => {
  expect(filterProgram('riscv64', false)).toBeUndefined()
})
