import { type CallNumbers, callNumbers } from './call-numbers.ts'
import { type RefusedCall, refusedCalls } from './refused-calls.ts'

/** One instruction of classic BPF: `struct sock_filter` of linux/filter.h. */
interface Instruction {
  readonly code: number
  /** Number of instructions to skip if the condition holds, and if it does not. */
  readonly ifTrue?: number
  readonly ifFalse?: number
  readonly value: number
}

const loadWord = 0x20
const ifEqual = 0x15
const ifAtLeast = 0x35
const ifAnyBit = 0x45
const answer = 0x06

const allow: Instruction = { code: answer, value: 0x7fff_0000 }
const unknownCall = 38

/** Offsets in `struct seccomp_data` of linux/seccomp.h. */
const numberAt = 0
const archAt = 4
const argumentsAt = 16

/**
 * Compiles the seccomp filter of a box for `bwrap --seccomp`: BPF in this machine's byte order. It refuses the calls in
 * `refusedCalls`, and every call of another table (32-bit programs, x32), where numbers have other meanings. Undefined on an
 * unknown architecture.
 */
export function filterProgram(arch: string, keepsSetgid: boolean): Buffer | undefined {
  const calls = callNumbers(arch)
  if (calls === undefined) return undefined
  const instructions = [
    ...onlyThisTable(calls),
    ...refusedCalls(keepsSetgid).flatMap((call) => refusal(call, calls)),
    allow,
  ]
  return Buffer.concat(instructions.map(toBytes))
}

function onlyThisTable({ audit, otherFrom }: CallNumbers): readonly Instruction[] {
  const other =
    otherFrom === undefined
      ? []
      : [{ code: ifAtLeast, ifFalse: 1, value: otherFrom }, refuse(unknownCall)]
  return [
    { code: loadWord, value: archAt },
    { code: ifEqual, ifTrue: 1, value: audit },
    refuse(unknownCall),
    { code: loadWord, value: numberAt },
    ...other,
  ]
}

/** Instructions for one call; they expect the number of the call to be loaded, and keep it loaded for other calls. */
function refusal(call: RefusedCall, { numbers }: CallNumbers): readonly Instruction[] {
  const number = numbers[call.name]
  if (number === undefined) return []
  const conditions = call.when.flatMap(({ argument, mask }, index) => [
    // Both architectures are little-endian: the lower half comes first.
    { code: loadWord, value: argumentsAt + 8 * argument },
    { code: ifAnyBit, ifFalse: 2 * (call.when.length - index - 1) + 1, value: mask },
  ])
  const body = [...conditions, refuse(call.errno), allow]
  return [{ code: ifEqual, ifFalse: body.length, value: number }, ...body]
}

function refuse(errno: number): Instruction {
  return { code: answer, value: 0x0005_0000 | errno }
}

function toBytes({ code, ifTrue = 0, ifFalse = 0, value }: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
