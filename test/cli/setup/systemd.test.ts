import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { services, unitName, unitText } from '../../../src/cli/setup/systemd-unit.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from '../run-program.ts'

const options = {
  program: ['/usr/bin/node', '/opt/countersign/dist/main.js'],
  user: 'countersign',
  directory: '/etc/countersign',
  credentials: '/etc/countersign/credentials',
  secrets: ['OTEL_EXPORTER_OTLP_HEADERS'],
}

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
/** Exposure in tenths of what systemd-analyze calls 10.0. Boxes need namespaces, mounts and /proc. */
const exposure = { start: 35, gateway: 15, agent: 15, worker: 35 } as const

test.each(services)(
  'SHIP-04 the unit of %s is confined, and gets its secrets as credentials',
  (service) => {
    const lines = unitText({ ...options, service }).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        `ExecStart=/usr/bin/node /opt/countersign/dist/main.js ${service}`,
        'ProtectSystem=strict',
        'NoNewPrivileges=yes',
        'LoadCredential=otel-exporter-otlp-headers:/etc/countersign/credentials/otel-exporter-otlp-headers',
        'Environment=OTEL_EXPORTER_OTLP_HEADERS_FILE=%d/otel-exporter-otlp-headers',
      ]),
    )
    const makesBoxes = service === 'start' || service === 'worker'
    expect(lines.includes('Delegate=yes')).toBe(makesBoxes)
    expect(lines.includes('RestrictNamespaces=yes')).toBe(!makesBoxes)
  },
)

test('SHIP-04 a worker is handed neither the database nor a model or chat secret', () => {
  const unit = unitText({ ...options, service: 'worker' })
  expect(unit).not.toMatch(/DATABASE_URL|TELEGRAM|SLACK|API_KEY|SIGNING_KEY|ENROLMENT/)
})

test.runIf(hasAnalyze).each(services)(
  'SHIP-04 systemd takes the unit of %s, and finds it confined',
  async (service) => {
    await using directory = await temporaryDirectory()
    const file = join(directory.path, unitName(service))
    const program = [process.execPath, import.meta.filename]
    await writeFile(file, unitText({ ...options, service, program, directory: '/' }))
    const run = promisify(execFile)
    const { stderr } = await run('systemd-analyze', ['verify', '--recursive-errors=no', file])
    expect(stderr).not.toContain(unitName(service))
    const threshold = `--threshold=${exposure[service]}`
    await run('systemd-analyze', ['security', '--offline=true', threshold, file])
  },
)

test('SHIP-04 systemd prints a unit with the secrets that are set, or those that are asked for, and refuses others', async () => {
  await using directory = await temporaryDirectory()
  const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runProgram(['systemd', ...args], { cwd: directory.path, environment })
  const set = await run([], { TELEGRAM_BOT_TOKEN: '12:secret', SLACK_BOT_TOKEN_FILE: '/nowhere' })
  expect(set.exitCode).toBe(0)
  expect(set.stdout).toContain('TELEGRAM_BOT_TOKEN_FILE=%d/telegram-bot-token')
  expect(set.stdout).toContain('SLACK_BOT_TOKEN_FILE=%d/slack-bot-token')
  expect(set.stdout).not.toContain('12:secret')
  const asked = await run(['agent', '--secret', 'OPENAI_API_KEY', '--user', 'bot'])
  expect(asked.stdout).toMatch(/User=bot\n[\s\S]*OPENAI_API_KEY_FILE=%d\/openai-api-key/)
  expect(asked.stdout).toContain(
    'LoadCredential=signing-key.pem:/etc/countersign/agent/signing-key.pem',
  )
  for (const args of [
    ['worker', '--secret', 'DATABASE_URL'],
    ['start', '--user', 'a\nExecStartPre=/bin/sh'],
    ['start', '--directory', '/etc/x\nUser=root'],
    ['start', '--directory', 'relative'],
    ['else'],
  ]) {
    expect(await run(args), args.join(' ')).toMatchObject({ exitCode: 2, stdout: '' })
  }
})
