import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog, type LogOptions, toPrettyLine } from '../../../src/app/logs/create-log.ts'
import { createLogObserver } from '../../../src/app/logs/observe.ts'
import type { Config } from '../../../src/config/config.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'log-'))
})
afterAll(() => rm(dataDir, { recursive: true }))

const key = 'sk-ant-hunter2-hunter2'

function configOf(settings: Readonly<Record<string, string>> = {}): Config {
  const environment = new Environment({
    COUNTERSIGN_DATA_DIR: dataDir,
    ANTHROPIC_API_KEY: key,
    ...settings,
  })
  const loaded = loadConfig({ cwd: dataDir, environment })
  if (loaded.kind === 'invalid') throw new Error('the configuration is invalid')
  return loaded.config
}

/** Returns what a log wrote to such an output. */
function written(
  config: Config,
  options: LogOptions & { readonly isTTY?: boolean },
  write: (log: ReturnType<typeof createLog>) => void,
): string {
  const output = Object.assign(new PassThrough(), { isTTY: options.isTTY ?? false })
  write(createLog(config, { ...options, output }))
  return output.read()?.toString() ?? ''
}

const said = (log: ReturnType<typeof createLog>) => log.info({ turn: 't-1', ms: 3 }, 'turn ended')

describe('the log', () => {
  test('PROC-05 of a separate process goes to its output as JSON, with the name of the process', () => {
    const text = written(configOf(), { process: 'agent' }, said)
    expect(JSON.parse(text)).toMatchObject({
      level: 30,
      process: 'agent',
      pid: process.pid,
      turn: 't-1',
      msg: 'turn ended',
    })
  })

  test('PROC-05 is human-readable on a terminal, unless the configuration sets one format everywhere', () => {
    const pretty = /^\d\d:\d\d:\d\d\.\d{3} info {2}turn ended turn=t-1 ms=3\n$/
    expect(written(configOf(), { process: 'agent', isTTY: true }, said)).toMatch(pretty)
    const always = configOf({ COUNTERSIGN_LOGGING_FORMAT: 'pretty' })
    expect(written(always, { process: 'agent' }, said)).toMatch(pretty)
    const never = configOf({ COUNTERSIGN_LOGGING_FORMAT: 'json' })
    expect(written(never, { process: 'agent', isTTY: true }, said)).toMatch(/^\{/)
  })

  test('PROC-05 of the whole product stays in its file, readable by its owner only, always as JSON', async () => {
    const config = configOf({ COUNTERSIGN_LOGGING_FORMAT: 'pretty' })
    said(createLog(config))
    const text = await readFile(join(dataDir, 'countersign.log'), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ process: 'start', msg: 'turn ended' })
  })

  test('PROC-05 never contains a configured secret in any format', () => {
    const leak = (log: ReturnType<typeof createLog>) => {
      log.warn({ err: new Error(`401 for ${key}`), url: `https://x/${key}` }, `it was ${key}`)
      createLogObserver(log).record({
        kind: 'job_refused',
        worker: key,
        replica: 'r1',
      })
    }
    for (const isTTY of [true, false]) {
      const text = written(configOf(), { process: 'gateway', isTTY }, leak)
      expect(text).toContain('redacted')
      expect(text).not.toContain('hunter2')
    }
  })

  test('PROC-05 omits lines below its level', () => {
    const quiet = configOf({ COUNTERSIGN_LOGGING_LEVEL: 'warn' })
    expect(written(quiet, { process: 'agent' }, said)).toBe('')
  })
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
const hidden = /[\0-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

describe('a human-readable line', () => {
  test('PROC-05 shows the message of an error with the other fields, and its stack below', () => {
    const err = { type: 'Error', message: 'no luck', stack: 'Error: no luck\n    at a.ts:1' }
    const line = JSON.stringify({ level: 50, time: '2026-11-22T12:03:04.123Z', err, msg: 'bad' })
    expect(toPrettyLine(line)).toBe(
      '12:03:04.123 error bad err="no luck"\n    Error: no luck\n        at a.ts:1\n',
    )
  })

  test('PROC-05 of another format stays unchanged', () => {
    expect(toPrettyLine('no JSON\n')).toBe('no JSON\n')
    expect(toPrettyLine('{"a":1}\n')).toBe('{"a":1}\n')
  })

  test('PROC-05 REL-02 no logged text becomes a terminal command, or a line of its own', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 20 })
    fc.assert(
      fc.property(
        text,
        fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
        (msg, fields) => {
          const line = JSON.stringify({
            ...fields,
            level: 30,
            time: '2026-11-22T12:03:04.123Z',
            msg,
          })
          const shown = toPrettyLine(line)
          expect(shown).toMatch(/^12:03:04\.123 info/)
          expect(shown.slice(0, -1)).not.toMatch(hidden)
        },
      ),
    )
  })
})
