import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { combineObservers, observe } from '../../../src/app/logs/observe.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { ProductEvent } from '../../../src/ports/observer.ts'
import { type Log, silentLog } from '../../../src/util/log.ts'
import { MemoryLog } from '../../adapters/chat/telegram/incoming/memory-log.ts'
import { startCollector } from '../../support/collector.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'observe-'))
})
afterAll(() => rm(dataDir, { recursive: true }))
afterEach(() => void vi.unstubAllEnvs())

function configOf(settings: Readonly<Record<string, string>>) {
  const environment = new Environment({ COUNTERSIGN_DATA_DIR: dataDir, ...settings })
  const loaded = loadConfig({ cwd: dataDir, environment })
  if (loaded.kind === 'invalid') throw new Error('the configuration is invalid')
  return loaded.config
}

/** Sends as a process with these variables does. */
async function sendWith(settings: Readonly<Record<string, string>>, log: Log = silentLog) {
  await using observation = await observe({ config: configOf(settings), log, process: 'agent' })
  observation.observer.record(ended)
}

const ended: ProductEvent = {
  kind: 'turn_ended',
  turnId: '0190a3c4-0000-7000-8000-000000000001',
  sort: 'message',
  sessionId: '0190a3c4-0000-7000-8000-000000000002',
  state: 'done',
  steps: 1,
  ms: 5,
}

describe('observing', () => {
  test('PROC-05 an event becomes a log line, a metric and a span', async () => {
    await using collector = await startCollector()
    const lines: [unknown, string][] = []
    const log = {
      ...silentLog,
      info: (fields: unknown, message: string) => void lines.push([fields, message]),
    }
    const config = configOf({ COUNTERSIGN_LOGGING_OTLP_ENDPOINT: collector.endpoint })
    {
      await using observation = await observe({ config, log, process: 'agent' })
      observation.observer.record(ended)
      expect(await observation.metrics.text()).toMatch(/^countersign_turns_total.*\} 1$/m)
    }
    expect(lines).toEqual([
      [
        {
          turn: ended.turnId,
          session: ended.sessionId,
          sort: 'message',
          state: 'done',
          steps: 1,
          ms: 5,
        },
        'turn ended',
      ],
    ])
    expect(collector.spans).toMatchObject([{ name: 'turn', service: 'countersign-agent' }])
  })

  test('PROC-05 CONF-02 CONF-03 traces carry the headers of the configuration, and none from unlisted environment variables', async () => {
    await using collector = await startCollector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-past=it')
    vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'x-past-too=it')
    vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', 'gzip')
    const before = { ...process.env }
    await sendWith({
      COUNTERSIGN_LOGGING_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YWRhOmh1bnRlcjI=, x-tenant = a%2Cb',
    })
    const [headers] = collector.headers
    expect(headers).toMatchObject({
      authorization: 'Basic YWRhOmh1bnRlcjI=',
      'x-tenant': 'a,b',
      'content-type': 'application/json',
    })
    expect(Object.keys(headers ?? {}).join()).not.toMatch(/past|content-encoding/)
    expect(collector.spans).toHaveLength(1)
    expect(process.env).toEqual(before)
  })

  test('PROC-05 CONF-02 the headers of traces may come from a file, and no log contains them, whatever the collector answers', async () => {
    await using collector = await startCollector()
    collector.behave(401)
    const file = join(dataDir, 'otlp-headers')
    await writeFile(file, 'authorization=Bearer%20hunter2-hunter2\n')
    const log = new MemoryLog()
    const settings = {
      COUNTERSIGN_LOGGING_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS_FILE: file,
    }
    await sendWith(settings, log)
    expect(collector.headers).toMatchObject([{ authorization: 'Bearer hunter2-hunter2' }])
    expect(log.having('traces')).toEqual([expect.stringContaining("{ error: '401' }")])
    await sendWith({ ...settings, COUNTERSIGN_LOGGING_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, log)
    expect(log.having('traces')).toHaveLength(2)
    expect(log.lines.join('\n')).not.toContain('hunter2')
  })

  test('PROC-05 CONF-03 OpenTelemetry variables that are set but not read are listed once, without their values', async () => {
    await using collector = await startCollector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'authorization=hunter2')
    vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'authorization=hunter2')
    vi.stubEnv('OTEL_EXPORTER_OTLP_CERTIFICATE', '/hunter2.pem')
    const log = new MemoryLog()
    await sendWith({ COUNTERSIGN_LOGGING_OTLP_ENDPOINT: collector.endpoint }, log)
    expect(log.having('are ignored')).toEqual([
      expect.stringMatching(
        /^warn .*'OTEL_EXPORTER_OTLP_CERTIFICATE'.*'OTEL_EXPORTER_OTLP_TRACES_HEADERS'/s,
      ),
    ])
    expect(log.lines.join('\n')).not.toMatch(/hunter2|OTLP_HEADERS/)
    vi.unstubAllEnvs()
    const quiet = new MemoryLog()
    await sendWith({ COUNTERSIGN_LOGGING_OTLP_ENDPOINT: collector.endpoint }, quiet)
    expect(quiet.having('are ignored')).toEqual([])
  })

  test('PROC-05 an observer that throws stops neither the others nor the work', () => {
    const heard: string[] = []
    const failing = {
      record: () => {
        throw new Error('a bug')
      },
    }
    const hearing = { record: (event: ProductEvent) => void heard.push(event.kind) }
    const warn = (_fields: unknown, message: string) => void heard.push(message)
    combineObservers({ ...silentLog, warn }, failing, hearing).record(ended)
    expect(heard).toEqual(['an observer failed', 'turn_ended'])
  })

  test('PROC-05 the SDK of traces is loaded only where an address for them is set', async () => {
    const module = new URL('../../../src/app/logs/observe.ts', import.meta.url).href
    const loads = async (endpoint: string | undefined) => {
      const logging = endpoint === undefined ? {} : { otlpEndpoint: endpoint }
      const config = { logging, secrets: {} }
      const program = `
        import { registerHooks } from 'node:module'
        const urls = []
        registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
        const { observe } = await import(${JSON.stringify(module)})
        const log = { info() {}, warn() {} }
        await using observation = await observe({
          config: ${JSON.stringify(config)}, log, process: 'agent',
        })
        console.log(urls.join('\\n'))`
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--input-type=module',
        '--eval',
        program,
      ])
      expect(stdout).toContain('prom-client')
      return stdout.includes('node_modules/@opentelemetry/sdk-trace/')
    }
    expect(await Promise.all([loads(undefined), loads('http://127.0.0.1:9')])).toEqual([
      false,
      true,
    ])
  })
})
