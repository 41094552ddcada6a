import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { RealProgram } from '../support/real-product.ts'
import { expectWhole } from './support/invariants.ts'
import { createPlace, type Place } from './support/place.ts'
import { killNow, processesNaming, processesOf, untilHeard } from './support/processes.ts'
import { lastCall, untilAsked, untilCall, untilOver } from './support/steps.ts'

const patience = { timeout: 120_000, interval: 20 }
/** Goes on until the test lets it: however late it is looked at, it still runs. */
const untilGo = 'echo once >> counter; until [ -e go ]; do sleep 0.1; done; echo end >> counter'

describe('countersign start over pipes, killed and started again', () => {
  test('REL-01 TERM-01 while a card waits: it is answered by its number after the restart', async () => {
    await using place = await createPlace()
    await using killed = start(place)
    killed.write('run: echo once >> counter')
    await untilAsked(place)
    await killAll(place, killed)
    await using next = start(place)
    next.write('/approve 1')
    await vi.waitFor(() => expect(next.stdout).toContain('finished: run: echo'), patience)
    expect(place.counter()).toEqual(['once'])
    next.child.stdin?.end()
    expect(await next.ended).toEqual({ code: 0, signal: null })
  }, 180_000)

  test('REL-01 TERM-01 while the model thinks: the answer comes by itself after the restart', async () => {
    await using place = await createPlace()
    const held = place.model.hold()
    await using killed = start(place)
    killed.write('a question')
    await vi.waitFor(
      () => expect(place.model.requestsAbout('a question')).toHaveLength(1),
      patience,
    )
    await killAll(place, killed)
    held[Symbol.dispose]()
    await using next = start(place)
    await vi.waitFor(() => expect(next.stdout).toContain('heard: a question'), patience)
    await untilOver(place)
    await expectWhole(place, 1)
    expect(next.stdout.split('heard: a question')).toHaveLength(2)
  }, 180_000)

  test('REL-01 LOOP-05 TERM-01 while a command runs: it is told as interrupted and not run again', async () => {
    await using place = await createPlace()
    const sleep = `sleep 3${process.pid}.3`
    await using killed = start(place)
    await beginCommand(place, killed, `echo once >> counter; ${sleep}`)
    await killAll(place, killed)
    await using next = start(place)
    await vi.waitFor(() => expect(next.stdout).toContain('interrupted: run: echo'), patience)
    expect(processesNaming(sleep)).toEqual([])
    expect(await lastCall(place)).toMatchObject({ state: 'interrupted', attempt: 1 })
    expect(place.counter()).toEqual(['once'])
    await untilOver(place)
    await expectWhole(place, 1)
  }, 180_000)

  test('INT-32 TERM-01 its PostgreSQL is killed while a command runs: the answer comes, and the chat goes on', async () => {
    await using place = await createPlace()
    await using program = start(place)
    await beginCommand(place, program, untilGo)
    const found = processesOf(place.dataDir).filter(({ part }) => part === 'postgres')
    killNow(found.map(({ pid }) => pid))
    place.putFile('go')
    await vi.waitFor(() => expect(program.stdout).toContain('finished: run: echo'), patience)
    program.write('a question')
    await vi.waitFor(() => expect(program.stdout).toContain('heard: a question'), patience)
    program.child.stdin?.end()
    expect(await program.ended).toEqual({ code: 0, signal: null })
    expect(place.counter()).toEqual(['once', 'end'])
  }, 180_000)

  test('PROC-03 INT-38 TERM-01 SIGTERM while a command runs: it is finished, the exit code is 0, and nothing is left', async () => {
    await using place = await createPlace()
    await using program = start(place)
    await beginCommand(place, program, untilGo)
    program.child.kill('SIGTERM')
    await untilHeard(program.pid)
    place.putFile('go')
    expect(await program.ended).toEqual({ code: 0, signal: null })
    expect(program.stderr).toBe('')
    expect(place.counter()).toEqual(['once', 'end'])
    expect(processesOf(place.dataDir)).toEqual([])
    await using next = start(place)
    await vi.waitFor(() => expect(next.stdout).toContain('finished: run: echo'), patience)
    expect(await lastCall(place)).toMatchObject({ state: 'succeeded', attempt: 1 })
  }, 180_000)

  test('PROC-03 TERM-01 as README starts it: what npm is sent, twice as by a group and its parent, drains the product', async () => {
    await using place = await createPlace()
    const npm = spawn('npm', ['start'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: place.environment,
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    const ended = once(npm, 'exit')
    npm.stdout.resume()
    npm.stdin.write(`run: ${untilGo}\n`)
    await untilAsked(place)
    npm.stdin.write('/approve\n')
    await vi.waitFor(() => expect(place.counter()).toEqual(['once']), patience)
    // The whole group, npm included, which passes it on as well.
    process.kill(-(npm.pid ?? 0), 'SIGTERM')
    const told = processesOf(place.dataDir).filter(({ part }) => part === 'node')
    await Promise.all(told.map(({ pid }) => untilHeard(pid)))
    place.putFile('go')
    await ended
    await vi.waitFor(() => expect(processesOf(place.dataDir)).toEqual([]), patience)
    expect(place.counter()).toEqual(['once', 'end'])
  }, 180_000)

  test.each([600, 1_800, 3_000])(
    'PROC-03 STORE-01 SIGTERM %i ms into a first start ends it, its PostgreSQL included',
    async (afterMs) => {
      await using place = await createPlace({ isEmpty: true })
      await using program = start(place)
      await delay(afterMs)
      program.child.kill('SIGTERM')
      // Before the program has begun to listen, the signal itself ends it.
      expect(['0 null', 'null SIGTERM']).toContain(await endOf(program))
      expect(program.stderr).toBe('')
      expect(processesOf(place.dataDir)).toEqual([])
    },
    180_000,
  )

  test('PROC-03 TERM-01 a second SIGTERM ends at once with exit code 1', async () => {
    await using place = await createPlace()
    await using program = start(place)
    await beginCommand(place, program, `echo once >> counter; sleep 3${process.pid}.4`)
    program.child.kill('SIGTERM')
    await untilHeard(program.pid)
    program.child.kill('SIGTERM')
    expect(await program.ended).toEqual({ code: 1, signal: null })
  }, 180_000)
})

function start({ dataDir, environment }: Place): RealProgram {
  return new RealProgram(['start'], { cwd: dataDir, environment })
}

async function endOf(program: RealProgram): Promise<string> {
  const { code, signal } = await program.ended
  return `${code} ${signal}`
}

async function killAll(place: Place, program: RealProgram): Promise<void> {
  killNow(processesOf(place.dataDir).map(({ pid }) => pid))
  await program.ended
}

async function beginCommand(place: Place, program: RealProgram, command: string): Promise<void> {
  program.write(`run: ${command}`)
  await untilAsked(place)
  program.write('/approve 1')
  await vi.waitFor(() => expect(place.counter()).toContain('once'), patience)
  await untilCall(place, 'running')
}
