import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { requirement } from '../../support/run/requirements.ts'
import { createScene, type Scene } from './hostile-scene.ts'
import { descendantsOf, findInProcess } from './worker-secrets-memory.ts'

vi.setConfig({ testTimeout: 240_000 })

const look = 'bash look.sh 2>&1'
const command = 'echo in the box; until [ -e go ]; do sleep 0.1; done'

requirement.bubblewrap(
  'PROC-01 THREAT-5 THREAT-9 no secret of database, chat, model or enrolment is in a worker’s memory, none at all in its box’s, and a command finds none',
  async () => {
    await using scene = await createScene()
    const pids = await startAll(scene)
    await scene.order('once')
    scene.approve(await scene.ask(command))
    await scene.untilCall(command, 'running')
    const others = secretsOfOthers(scene)
    const own = secretsOfWorkers(scene)
    const all = { ...others, ...own, command }
    // What is found where it belongs shows that what is not found elsewhere is not there.
    expect(findInProcess(pids.gateway, others)).toEqual(['database', 'telegram'])
    expect(findInProcess(pids.agent, others)).toEqual([
      'database',
      'enrolment secret',
      'model',
      'signing key',
    ])
    expect(findInProcess(pids.worker, all)).toEqual(['command', ...Object.keys(own)])
    const box = descendantsOf(pids.worker).map((pid) => findInProcess(pid, all))
    expect(box.length).toBeGreaterThan(1)
    expect([...new Set(box.flat())]).toEqual(['command'])
    await scene.putFile('go')
    await scene.answered(command)

    await scene.putFile('look.sh', lookAround(scene))
    scene.approve(await scene.ask(look))
    await scene.answered(look)
    const found = (await scene.call(look)).envelope ?? ''
    expect(found).toContain('looked')
    expect(found).not.toMatch(/SEEN|CONNECTED|READ\b|PRIVATE KEY/)
    for (const secret of Object.values({ ...others, ...own })) expect(found).not.toContain(secret)
  },
)

async function startAll(scene: Scene) {
  const [gateway, agent, worker] = await scene.start('gateway', 'agent', 'worker')
  if (gateway === undefined || agent === undefined || worker === undefined) throw new Error('none')
  return { gateway: gateway.pid, agent: agent.pid, worker: worker.pid }
}

/** A script that tries what a command could: a card with these paths in it would be refused before anybody is asked. */
function lookAround({ apart }: Scene): string {
  const { place, redis, wire } = apart
  return `
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'
for process in /proc/[0-9]*; do tr -d '\\0' < $process/mem | head -c 1 | grep . && echo READ; done
cat ${place.dataDir}/keys/* ${place.dataDir}/journal/default/*
ls -a ${place.dataDir}/keys/* ${place.dataDir}/journal && echo SEEN
ls ${redis.socket} && echo SEEN
for port in ${redis.port} ${wire.port}; do (exec 3<>/dev/tcp/127.0.0.1/$port) && echo CONNECTED; done
cat /proc/net/unix /proc/net/tcp
echo looked
`
}

/** What gateways and agents hold, and no worker may. */
function secretsOfOthers({ apart }: Scene): Readonly<Record<string, string>> {
  const { dataDir, environment } = apart.place
  const read = (name: string) => readFileSync(join(dataDir, 'keys', name), 'utf8')
  const [, body = ''] = read('signing-key.pem').split('\n')
  return {
    database: apart.environment('agent')['DATABASE_URL'] ?? '',
    telegram: apart.telegram.token,
    model: environment['ANTHROPIC_API_KEY'] ?? '',
    'signing key': body,
    'enrolment secret': read('enrolment-secret').trim(),
  }
}

/** What a worker holds, and no box may. */
function secretsOfWorkers({ apart }: Scene): Readonly<Record<string, string>> {
  const token = readFileSync(join(apart.place.dataDir, 'keys', 'worker-token'), 'utf8').trim()
  return { 'redis password': apart.redis.password, 'worker token': token }
}
