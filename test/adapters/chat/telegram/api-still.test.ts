import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compileCache } from '../../../support/database/compile-cache.ts'

const api = fileURLToPath(new URL('../../../../src/adapters/chat/telegram/api.ts', import.meta.url))

function sender(port: number): string {
  return `
    import { createApi } from ${JSON.stringify(api)}
    const api = createApi({ token: '1:a', apiRoot: 'http://127.0.0.1:${port}', timeoutMs: 3_000 })
    for (let sent = 0; sent < 3; sent += 1) {
      const answer = await api.sendMessage(1, 'x').then(() => 'sent', (error) => error.message)
      process.stdout.write(answer + '\\n')
    }`
}

test('INT-1 REL-01 a process that was suspended during an answer accepts it, and does not send again', async () => {
  let child: ChildProcess | undefined
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      child?.kill('SIGSTOP')
      response.setHeader('content-type', 'application/json')
      response.end('{"ok":true,"result":true}')
      // Longer than the time limit of the call.
      setTimeout(() => child?.kill('SIGCONT'), 3_500)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', sender(port)]
  child = spawn(process.execPath, flags, {
    env: compileCache,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  await new Promise((resolve) => child?.on('close', resolve))
  server.close()
  expect(output.trim().split('\n')).toEqual(['sent', 'sent', 'sent'])
})
