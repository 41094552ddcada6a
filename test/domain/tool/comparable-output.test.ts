import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { comparableOutput } from '../../../src/domain/tool/comparable-output.ts'
import { formatToolError } from '../../../src/domain/tool/tool-error.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

const same = (one: string, other: string) => comparableOutput(one) === comparableOutput(other)

describe('output that differs although nothing has changed', () => {
  test.each([
    [
      'uuids',
      'job 0b1c2d3e-1111-4222-8333-444455556666',
      'job ffffffff-1111-4222-8333-444455556667',
    ],
    [
      'an overflow',
      '[overflow:0b1c2d3e-1111-4222-8333-444455556666]',
      '[overflow:1b1c2d3e-1111-4222-8333-444455556666]',
    ],
    [
      'labelled ids',
      '{"request_id": "r-81aa"} PID=512 pid 77',
      '{"request_id": "r-9"} PID=9 pid 78',
    ],
    ['digests', 'image 4f2a9be01c77', 'image 99aa0be01c70'],
    ['ISO times', 'at 2026-11-22T21:10:23.123Z', 'at 2026-11-23 01:00:00+02:00'],
    ['date', 'Sun Nov 22 21:10:23 UTC 2026', 'Mon Nov 23 09:11:00 UTC 2026'],
    ['mail dates', 'Sun, 22 Nov 2026 21:10:23 GMT', 'Mon, 23 Nov 2026 01:10:23 GMT'],
    ['clock times', '[21:10:23] no', '[21:10:24.5] no'],
    ['addresses', 'at 0x7f3a1c2b4d50', 'at 0x7f3a1c2b9e10'],
    ['processes in logs', 'sshd[1234]: no', 'sshd[77]: no'],
    ['ids with a name', 'req_8f3kTz no', 'req_0a9bQx no'],
    ['ULIDs', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '01BX5ZZKBKACTAV9WEVGEMMVRZ'],
    ['temporary places', '/tmp/tmp.Xa83js no', '/tmp/tmp.k2Pq0w no'],
    ['basic ISO times', '20261123T004100Z', '20261124T104159Z'],
    ['nanoseconds', '1795381823123456789', '1795381829000000001'],
    ['compound durations', 'took 1m2.345s', 'took 2h3m'],
    ['epochs', 'now 1795381823', 'now 1795381829123'],
    [
      'durations',
      '3 failed in 0.12s (12 ms, 1m 3s, 2 seconds, 5µs)',
      '3 failed in 1.5s (9 ms, 2m 4s, 7 seconds, 1µs)',
    ],
  ])('LOOP-11 %s compare as equal', (_, one, other) => {
    expect(one).not.toBe(other)
    expect(comparableOutput(one)).toBe(comparableOutput(other))
  })

  test.each([
    ['counts', '3 failed', '2 failed'],
    ['words', 'decade facade', 'facade decade'],
    ['names of files', 'a.txt', 'b.txt'],
    ['progress', '12 %', '13 %'],
    ['lines', 'a\nb', 'a b'],
    ['exit codes', '[exit code 1]', '[exit code 2]'],
    ['versions', 'v1.2.3', 'v1.2.4'],
    ['places in a list', 'a[1] no', 'a[2] no'],
    ['sizes', '12 MB', '13 MB'],
  ])('LOOP-11 %s compare as different', (_, one, other) => {
    expect(same(one, other)).toBe(false)
  })

  test('LOOP-11 ERR-04 the one-time hint is ignored', () => {
    const error = { category: 'invalid_parameters', message: 'path: required' } as const
    expect(same(formatToolError(error, { hint: 'schema: {"a":1}' }), formatToolError(error))).toBe(
      true,
    )
    expect(same('schema: a', 'schema: b')).toBe(false)
  })

  test('LOOP-11 every text equals itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(comparableOutput(text)).toBe(comparableOutput(text))
      }),
    )
  })

  test.each([
    '1',
    'a',
    '1a',
    '12:',
    'id',
    '-',
    ' ',
    'pid=',
    'jan ',
    '2026-11-22T',
    '1.',
    'a1b2-',
    '0x',
    '[1',
    'req_a',
    '1m',
    '7Z',
  ])('LOOP-11 REL-02 a long run of %j takes linear time', (unit) => {
    const startedAt = performance.now()
    comparableOutput(unit.repeat(Math.ceil(200_000 / unit.length)))
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })
})
