import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { run } from './run.ts'

/** A server beyond this machine's own addresses: who reaches it is let out by the engine. It goes with its process. */
export interface FarMachine extends AsyncDisposable {
  readonly address: string
  readonly port: number
}

/** A namespace with one address, at the other end of a cable. Needs root. */
export async function openFarMachine(): Promise<FarMachine> {
  const port = 443
  const program = `require('node:net').createServer((it) => it.end()).listen(${port}, () => console.log('listening'))`
  const server = spawn('unshare', ['--net', process.execPath, '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'exit')
  const close = async () => {
    server.kill()
    await ended
  }
  try {
    await Promise.race([once(server.stdout, 'data'), ended])
    return { address: await connectTo(Number(server.pid)), port, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Lays the cable to a process's namespace; answers its end there. Both ends go with the namespace. */
async function connectTo(pid: number): Promise<string> {
  // Other runs on this machine have theirs.
  const subnet = `10.214.${process.pid % 256}`
  const near = `far${process.pid}`
  const inside = (...args: readonly string[]) =>
    run('nsenter', [`--net=/proc/${pid}/ns/net`, 'ip', ...args])
  const pair = ['type', 'veth', 'peer', 'name', 'near', 'netns', String(pid)]
  await run('ip', ['link', 'add', near, ...pair])
  await run('ip', ['address', 'add', `${subnet}.1/30`, 'dev', near])
  await run('ip', ['link', 'set', near, 'up'])
  await inside('address', 'add', `${subnet}.2/30`, 'dev', 'near')
  await inside('link', 'set', 'near', 'up')
  return `${subnet}.2`
}
