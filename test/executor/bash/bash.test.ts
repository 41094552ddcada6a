import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Client, errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

async function bash(client: Client, command: string, extra: object = {}) {
  return client.call('bash', { command }, extra)
}

test('BASH-01 a command runs in the workspace, in its own process group, with empty standard input', async () => {
  await using client = await startClient()
  const id = client.begin('bash', { command: 'pwd; ps -o pgid= -p $$ | tr -d " "; cat; echo end' })
  const started = await client.reply((reply) => reply.type === 'started' && reply.id === id)
  const lines = outputOf(await client.result(id))
    .trim()
    .split('\n')
  expect(started).toMatchObject({ pid: Number(lines[1]) })
  expect(lines).toEqual([client.workspace, lines[1], 'end'])
  expect(Number(lines[1])).not.toBe(client.child.pid)
})

test('BASH-02 streams are returned separately and interleaved in order of arrival', async () => {
  await using client = await startClient()
  // The order of data in both pipes at the same time is unknown: each line waits for the previous one.
  const wait = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`
  const command = `echo one; ${wait('second')}; echo two >&2; ${wait('third')}; echo three`
  const id = client.begin('bash', { command })
  await client.reply((reply) => reply.type === 'progress' && reply.text === 'one\n')
  await writeFile(join(client.workspace, 'second'), '')
  await client.reply((reply) => reply.type === 'progress' && reply.text === 'two\n')
  await writeFile(join(client.workspace, 'third'), '')
  expect(await client.result(id)).toMatchObject({
    kind: 'ok',
    output: 'one\ntwo\nthree\n',
    envelope: {
      stdout: 'one\nthree\n',
      stderr: 'two\n',
      exit_code: 0,
      truncated: false,
      timed_out: false,
    },
  })
})

test('BASH-02 exit_code is null when a signal ended it', async () => {
  await using client = await startClient()
  const outcome = await bash(client, 'echo a; kill -9 $$')
  expect(outcome).toMatchObject({ kind: 'ok', envelope: { exit_code: null } })
  expect(outputOf(outcome)).toContain('SIGKILL')
})

test('BASH-08 126 is policy_blocked, 127 is permanent_failure, other codes are output', async () => {
  await using client = await startClient()
  const blocked = await bash(client, 'echo x > f; ./f')
  expect(errorOf(blocked).category).toBe('policy_blocked')
  expect(blocked).toMatchObject({ envelope: { exit_code: 126 } })
  const missing = await bash(client, 'no-such-program-here')
  expect(errorOf(missing).category).toBe('permanent_failure')
  expect(missing).toMatchObject({ envelope: { exit_code: 127 } })
  expect(outputOf(await bash(client, 'echo out; exit 3'))).toBe('out\n[exit code 3]')
  const success = await bash(client, 'echo permission denied')
  expect(success).toMatchObject({ kind: 'ok', output: 'permission denied\n' })
})

test('BASH-03 a time-out returns the partial output and the category timeout', async () => {
  await using client = await startClient()
  const outcome = await bash(client, 'echo before; sleep 100', { timeoutMs: 5000 })
  expect(errorOf(outcome).category).toBe('timeout')
  expect(outcome).toMatchObject({
    output: 'before\n',
    envelope: { stdout: 'before\n', exit_code: null, timed_out: true },
  })
})

test('BASH-01 the timeout of the call shortens the limit and never lengthens it', async () => {
  await using client = await startClient()
  const shorter = await client.call('bash', { command: 'sleep 100', timeout: 1 })
  expect(errorOf(shorter)).toMatchObject({
    category: 'timeout',
    message: expect.stringContaining('1 s'),
  })
  const longer = await client.call(
    'bash',
    { command: 'sleep 100', timeout: 1000 },
    { timeoutMs: 500 },
  )
  expect(errorOf(longer).category).toBe('timeout')
})

test('BASH-03 a cancelled command answers cancelled with what it printed', async () => {
  await using client = await startClient()
  const id = client.begin('bash', { command: 'echo before; sleep 100' })
  await client.reply((reply) => reply.type === 'progress' && reply.text === 'before\n')
  client.send({ type: 'cancel', id })
  const outcome = await client.result(id)
  expect(errorOf(outcome).category).toBe('cancelled')
  expect(outcome).toMatchObject({ output: 'before\n', envelope: { timed_out: false } })
})

test('BASH-02 several commands run side by side, each with its own result', async () => {
  await using client = await startClient()
  const slow = client.begin('bash', {
    command: 'while [ ! -e go ]; do sleep 0.05; done; echo slow',
  })
  expect(outputOf(await bash(client, 'echo quick; touch go'))).toBe('quick\n')
  expect(outputOf(await client.result(slow))).toBe('slow\n')
})

test('BASH-04 of fifty megabytes head and tail are kept, with a line on the omitted part', async () => {
  await using client = await startClient()
  const command = 'echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last'
  const outcome = await bash(client, command, { maxStreamBytes: 100_000 })
  const output = outputOf(outcome)
  expect(output.length).toBeLessThan(110_000)
  expect(output.startsWith('first\nxxx')).toBe(true)
  expect(output.endsWith('xxx\nlast\n')).toBe(true)
  expect(output).toMatch(/\[… \d+ bytes cut here …\]/)
  expect(outcome).toMatchObject({ envelope: { truncated: true, exit_code: 0 } })
})

test('BASH-04 endless output stays bounded in memory until the time-out', async () => {
  await using client = await startClient()
  const outcome = await bash(client, 'yes', { timeoutMs: 3000, maxStreamBytes: 1_000_000 })
  expect(outcome).toMatchObject({ kind: 'error', envelope: { truncated: true, timed_out: true } })
  const status = await readFile(`/proc/${client.child.pid}/status`, 'utf8')
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])
  expect(peakKb).toBeLessThan(500_000)
})

test('BASH-04 control characters at full bounds still make one line the worker can read', async () => {
  await using client = await startClient()
  const outcome = await bash(client, 'head -c 30000000 /dev/zero | tr "\\0" "\\1"', {
    maxStreamBytes: 10 * 1024 * 1024,
  })
  expect(outcome).toMatchObject({ kind: 'ok', envelope: { truncated: true } })
  expect(JSON.stringify(outcome).length).toBeLessThan(64 * 1024 * 1024)
})

test('BASH-04 invalid UTF-8 and NUL are replaced, and characters survive chunk borders', async () => {
  await using client = await startClient()
  const bad = await bash(client, "printf 'a\\377b\\000c\\355\\240\\200d'")
  expect(outputOf(bad)).toMatch(/^a\ufffdb\ufffdc\ufffd+d$/)
  const split = await bash(
    client,
    "printf '\\303'; sleep 0.3; printf '\\251\\360\\237'; sleep 0.3; printf '\\230\\200'",
  )
  expect(outputOf(split)).toBe('é😀')
})

test('BASH-05 the environment is an allowlist', async () => {
  await using client = await startClient({
    env: { LANG: 'C.UTF-8', TZ: 'UTC', MY_TOKEN: 'leak', SOMETHING: 'leak', NODE_OPTIONS: '' },
  })
  const output = outputOf(
    await bash(client, 'env', {
      env: {
        EXTRA: 'yes',
        API_TOKEN: 'leak',
        DB_PASSWORD: 'leak',
        AWS_REGION: 'leak',
        DATABASE_URL: 'leak',
        MY_KEY: 'leak',
        HARMLESS: 'postgres://u:leak@host/db',
        HOME: '/elsewhere',
        'BAD NAME': 'leak',
      },
    }),
  )
  const names = output
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0])
    .sort()
  const bashOwn = ['PWD', 'SHLVL', '_']
  const others = names.filter((name) => !bashOwn.includes(name ?? ''))
  // Keeps git from running programs that the workspace's settings name.
  expect(others.filter((name) => !name?.startsWith('GIT_CONFIG_'))).toEqual([
    'COUNTERSIGN_BOX',
    'COUNTERSIGN_CALL',
    'EXTRA',
    'HOME',
    'LANG',
    'PATH',
    'TERM',
    'TZ',
  ])
  expect(output).not.toContain('leak')
  expect(output).toContain(`HOME=${client.workspace}\n`)
  expect(output).toContain('TERM=dumb\n')
})

test('BASH-11 a command that failed for want of a network, or timed out, reports that the box has none', async () => {
  await using client = await startClient({ env: { COUNTERSIGN_NETWORK: 'none' } })
  const output = async (command: string, extra = {}) => {
    const outcome = await client.call('bash', { command, ...extra })
    return 'output' in outcome ? outcome.output : ''
  }
  const note = 'Commands have no network in this box'
  expect(await output('echo "npm error code EAI_AGAIN"; exit 1')).toContain(note)
  expect(await output('echo "Could not resolve host: github.com" >&2; exit 128')).toContain(note)
  expect(await output('echo "ERROR: no x (from versions: none)"; exit 1')).toContain(note)
  expect(await output('sleep 60', { timeout: 1 })).toContain(note)
  expect(await output('echo "Could not resolve host: github.com"')).not.toContain(note)
  expect(await output('echo other; exit 1')).not.toContain(note)
  expect(await output('echo $npm_config_fetch_retries $PIP_RETRIES')).toBe('0 0\n')
  await using open = await startClient()
  const outcome = await open.call('bash', { command: 'echo EAI_AGAIN; exit 1' })
  expect(outcome).toMatchObject({ output: 'EAI_AGAIN\n[exit code 1]' })
})

test('BASH-12 the operator’s toolchains come first in PATH, before the box’s own', async () => {
  await using client = await startClient()
  const env = { PATH: '/opt/go/bin:/opt/jdk/bin', JAVA_HOME: '/opt/jdk' }
  const outcome = await client.call('bash', { command: 'echo $PATH $JAVA_HOME' }, { env })
  expect(outputOf(outcome)).toMatch(
    /^\/opt\/go\/bin:\/opt\/jdk\/bin:\/usr\/local\/bin:\S+ \/opt\/jdk$/m,
  )
})

test('BASH-09 progress carries the output since the previous event, at most four times a second', async () => {
  await using client = await startClient()
  const startedAt = Date.now()
  const id = client.begin('bash', {
    command: 'until [ -e go ]; do i=$((i + 1)); echo line $i; sleep 0.02; done',
  })
  const told = () => client.replies.filter((reply) => reply.type === 'progress').length
  await client.reply(() => told() > 3)
  await writeFile(join(client.workspace, 'go'), '')
  await client.result(id)
  const seconds = (Date.now() - startedAt) / 1000
  const texts = client.replies.flatMap((reply) => (reply.type === 'progress' ? [reply.text] : []))
  expect(texts.length).toBeGreaterThan(1)
  expect(texts.length).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1)
  const lines = texts.join('').trimEnd().split('\n')
  expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`))
})

test('BASH-02 the envelope is present when the command did not run to its end', async () => {
  await using client = await startClient()
  const outcome = await bash(client, 'exec sleep 100', { timeoutMs: 300 })
  expect(outcome).toMatchObject({
    envelope: { stdout: '', stderr: '', exit_code: null, truncated: false, timed_out: true },
  })
})

test('BASH-01 a command with a NUL is invalid_parameters, and one that is too long an error', async () => {
  await using client = await startClient()
  expect(errorOf(await bash(client, 'echo \0')).category).toBe('invalid_parameters')
  expect(errorOf(await bash(client, `: ${'x'.repeat(3_000_000)}`)).category).toBe(
    'permanent_failure',
  )
})

test('BASH-01 without bash nothing runs, instead of another shell that reads the command differently', async () => {
  await using client = await startClient({ env: { PATH: '/nowhere' } })
  expect(errorOf(await bash(client, 'echo hi')).message).toContain('no bash')
})

test('BASH-06 if the driver requires it, network programs are refused by name before anything runs', async () => {
  await using client = await startClient({ env: { COUNTERSIGN_REFUSE: 'network,outside' } })
  for (const command of [
    'touch x; curl https://a.b',
    '/usr/bin/wget x',
    "c'u'rl x",
    'echo >/dev/tcp/1.2.3.4/5',
  ]) {
    expect(errorOf(await bash(client, command)).category).toBe('policy_blocked')
  }
  await expect(stat(join(client.workspace, 'x'))).rejects.toThrow()
  expect(outputOf(await bash(client, 'echo ok'))).toBe('ok\n')
})

test('BASH-10 if the driver requires it, outside paths are refused and inside ones are not', async () => {
  await using client = await startClient({ env: { COUNTERSIGN_REFUSE: 'outside' } })
  for (const command of [
    'cat /etc/passwd',
    'cat ../x',
    'ls ~root',
    'tar --file=/var/x',
    'cat $HOME/../y',
  ]) {
    expect(errorOf(await bash(client, command)).category).toBe('policy_blocked')
  }
  for (const command of [
    `ls ${client.workspace}`,
    'true ~/x a/../b',
    'echo https://a.b/c 2>/dev/null',
  ]) {
    expect(await bash(client, command)).toMatchObject({ kind: 'ok' })
  }
})
