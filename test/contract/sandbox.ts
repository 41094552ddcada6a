import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { canonicalPath } from '../../src/adapters/sandbox/box-mounts.ts'
import type { SandboxOptions } from '../../src/adapters/sandbox/sandbox-options.ts'
import type { SandboxDriver } from '../../src/ports/sandbox.ts'
import { BoxPool } from '../../src/worker/box/box-pool.ts'
import { openBox } from '../adapters/sandbox/fixtures/box-client.ts'
import {
  processesWith,
  rareSleep,
  untilBegun,
  untilGone,
  untilRunning,
} from '../adapters/sandbox/fixtures/processes.ts'
import { makeSandboxPlace, type SandboxPlace } from '../adapters/sandbox/fixtures/sandbox-place.ts'
import { failInTransaction } from './transaction.ts'

type DefineTest = (title: string, body: () => Promise<void>) => void

export interface SandboxUnderTest {
  readonly name: string
  readonly create: (options: SandboxOptions) => Promise<SandboxDriver>
  /** Skips where the driver cannot work. */
  readonly test: DefineTest
  /** Skips also where it confines nothing. */
  readonly confinedTest: DefineTest
}

/** What every sandbox driver keeps. */
export function sandboxContract({ name, create, test, confinedTest }: SandboxUnderTest): void {
  describe(`sandbox of ${name}`, () => {
    let place: SandboxPlace
    let driver: SandboxDriver

    const background = (word: string) =>
      `(sleep ${word} >/dev/null 2>&1 &); (setsid nohup sleep ${word} >/dev/null 2>&1 &); true`
    const leave = (word: string) => `sleep ${word} & exec sleep ${word}`

    const prepare = async () => {
      driver = await create(place.options)
    }
    beforeEach(() => {
      place = makeSandboxPlace()
    })
    afterEach(() => place[Symbol.asyncDispose]())

    test('BOX-02 starts the executor, which runs commands in the workspace and serves many calls', async () => {
      await prepare()
      const spec = place.spec('r1/c1')
      await using client = await openBox(driver, spec)
      expect(await client.bash('echo hello > made && pwd')).toContain(
        driver.boxWorkspace(spec.workspace),
      )
      expect(await client.bash('cat made')).toContain('hello')
      expect(readFileSync(join(canonicalPath(spec.workspace), 'made'), 'utf8')).toBe('hello\n')
    })

    test('FILE-01 BOX-07 the workspace that an operator chose keeps its name in the box, and has no other', async () => {
      const chosen = join(place.dir, 'chosen')
      mkdirSync(chosen)
      symlinkSync(join(chosen, 'made'), join(chosen, 'link'))
      driver = await create({ ...place.options, keptWorkspace: chosen })
      expect(driver.boxWorkspace(chosen)).toBe(chosen)
      const inside = join(chosen, 'inside')
      const spec = { ...place.spec('r1/c1'), workspace: chosen }
      const other = join(place.dir, 'other-name')
      symlinkSync(chosen, other)
      const places = { readWrite: [chosen, inside, other], readOnly: [inside] }
      await using client = await openBox(driver, { ...spec, ...places })
      const command = `echo hello > made; pwd; cat link ${chosen}/made; mkdir inside; echo x > inside/x`
      expect(await client.bash(command)).toBe(`${chosen}\nhello\nhello\n`)
      expect(
        await client.script(
          `for it in /workspace ${name === 'process' ? '' : other}; do test -e $it/made && echo TWICE; done; pwd`,
        ),
      ).toBe(`${chosen}\n`)
      expect(readFileSync(join(chosen, 'made'), 'utf8')).toBe('hello\n')
    })

    test('BOX-02 closing its standard input ends the box and all it started', async () => {
      await prepare()
      const word = rareSleep()
      await using client = await openBox(driver, place.spec('r1/c1'))
      await client.leave(leave(word))
      client.box.stdin.end()
      await client.box.exited
      await untilGone(word)
    })

    test('BOX-02 kill ends a box in the middle of a command, with all it started, and may be repeated', async () => {
      await prepare()
      const word = rareSleep()
      await using client = await openBox(driver, place.spec('r1/c1'))
      const running = client.bash(`${background(word)}; sleep ${word}`)
      const refused = expect(running).rejects.toThrow('the box has ended')
      await untilRunning(word, 3)
      await client.box.kill()
      await client.box.kill()
      await Promise.all([refused, client.box.exited, untilGone(word)])
    })

    test('BOX-02 a box whose executor was killed reports its exit and leaves nothing behind', async () => {
      await prepare()
      const word = rareSleep()
      await using client = await openBox(driver, place.spec('r1/c1'))
      await client.leave(leave(word))
      const killed = client.bash('kill -KILL $PPID; sleep 5')
      await expect(killed).rejects.toThrow('the box has ended')
      await client.box.exited
      await untilGone(word)
    })

    test('BASH-07 a workspace is put back as it was by what runs in the box: names, links and permissions too', async () => {
      await prepare()
      const spec = place.spec('r1/c1')
      const look = `find . -printf '%P %y %m %l\\n' | sort; cat d/f $'caf\\xe9'`
      await using client = await openBox(driver, spec)
      await client.bash(
        `mkdir -p d c; echo f > d/f; ln -s d/f l; echo latin > $'caf\\xe9'; chmod 500 c`,
      )
      const before = await client.bash(look)
      expect(before).toContain('latin')
      const destroy = `chmod 700 c; rm -r d c l $'caf\\xe9'; mkdir new; echo n > new/n; chmod 0 new`
      const note = await failInTransaction(driver, { ...spec, key: `${spec.key}-2` }, destroy)
      expect(note).toContain('put back as it was before: 2 files restored')
      expect(await client.bash(look)).toBe(before)
    })

    test('BASH-05 THREAT-9 a command has nothing of our environment', async () => {
      await prepare()
      await using client = await openBox(driver, place.spec('r1/c1'))
      const names = (await client.bash('env')).match(/^\w+(?==)/gm) ?? []
      const expected = 'COUNTERSIGN_BOX COUNTERSIGN_CALL HOME LANG PATH PWD SHLVL TERM _'
      // Constants: what keeps git from running what the workspace names (SHELL-11), and programs from waiting for a network.
      const constants =
        /^GIT_CONFIG_(?:COUNT|(?:KEY|VALUE)_\d)$|^(?:npm_config|YARN|PIP|UV|CARGO_NET|BUNDLE)_\w+$/
      const others = names.filter((name) => !constants.test(name))
      expect(others.sort()).toEqual(expected.split(' '))
    })

    test('THREAT-31 no command leaves a setuid bit or a device on the host', async () => {
      await prepare()
      const spec = place.spec('r1/c1')
      await using client = await openBox(driver, spec)
      const tries = [
        'cp /bin/true a; chmod 4755 a',
        'cp /bin/true b; chmod g+s,u+s b',
        'install -m 6755 /bin/true c',
        `bash -c 'umask 0; mkdir -p d; cp /bin/true d/e; chmod 4711 d/e; chmod 0311 d'`,
        'mknod f c 1 3; mknod g b 1 1',
        `cp /bin/true /tmp/${basename(place.dir)}-x; chmod 4755 /tmp/${basename(place.dir)}-x`,
        'setcap cap_setuid+ep a',
      ]
      for (const command of tries) await client.script(`(${command}) 2>&1 || true`)
      await client.bash('chmod -f 700 d; true')
      const found = readdirSync(canonicalPath(spec.workspace), {
        recursive: true,
        withFileTypes: true,
      })
      const shared = lstatSync(`/tmp/${basename(place.dir)}-x`, { throwIfNoEntry: false })
      // As ourselves a command may leave what we may.
      if (driver.confined) expect((shared?.mode ?? 0) & 0o6000).toBe(0)
      rmSync(`/tmp/${basename(place.dir)}-x`, { force: true })
      const odd = found.filter((entry) => {
        const { mode } = lstatSync(join(entry.parentPath, entry.name))
        return (mode & 0o6000) !== 0 || !(entry.isFile() || entry.isDirectory())
      })
      expect(odd.map(({ name }) => name)).toEqual([])
      expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(['a', 'b', 'd', 'e']))
    })

    confinedTest(
      'THREAT-5 a command can neither trace its executor nor answer in its place',
      async () => {
        await prepare()
        await using client = await openBox(driver, place.spec('r1/c1'))
        const forged = JSON.stringify({ type: 'ready', pid: 1 })
        const said = await client.script(`
        executor=$(ps -o ppid= -p $PPID 2>/dev/null || awk '{print $4}' /proc/$PPID/stat); executor=$(($executor))
        tr '\\0' ' ' < /proc/$executor/cmdline | grep -o main.mjs
        for pid in 1 $executor; do
          cat /proc/$pid/environ > /dev/null && [ $pid != 1 ] && echo READ-ENVIRON
          (exec 9< /proc/$pid/mem) && [ $pid != 1 ] && echo OPENED-MEMORY
          for fd in 0 1 3 4; do (echo '${forged}' > /proc/$pid/fd/$fd) && readlink /proc/$pid/fd/$fd | grep -v /dev/null; done
        done
        [ -z "$(command -v gdb)" ] || gdb -p $executor -batch -ex 'print 40+2' 2>&1 | grep -i attached
        true`)
        expect(said).toContain('main.mjs')
        expect(said).not.toMatch(/READ|OPENED|^\[Inferior|pipe:|socket:/m)
      },
    )

    test('BOX-02 says which process a box is', async () => {
      await prepare()
      await using client = await openBox(driver, place.spec('r1/c1'))
      const stat = readFileSync(`/proc/${client.box.pid}/stat`, 'utf8')
      expect(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]).toBe(
        String(client.box.startTicks),
      )
    })

    test('BOX-06 sweeping ends the boxes of a key prefix and no others, and counts each once', async () => {
      await prepare()
      await using mine = await openBox(driver, place.spec('r1/c1'))
      await using second = await openBox(driver, place.spec('r1/c2'))
      await using other = await openBox(driver, place.spec('r2/c1'))
      expect(await driver.sweep(`${place.prefix}r1/`)).toBe(2)
      await Promise.all([mine.box.exited, second.box.exited])
      expect(await driver.sweep(`${place.prefix}r1/`)).toBe(0)
      expect(await other.bash('echo alive')).toContain('alive')
    })

    test('BOX-06 a key that could not be found again is refused', async () => {
      await prepare()
      await expect(driver.start({ ...place.spec('r1/c1'), key: 'a b\nc' })).rejects.toThrow('key')
    })

    test('BOX-02 a box that cannot run says why on its standard error or rejects', async () => {
      await prepare()
      const spec = { ...place.spec('r1/c1'), workspace: join(place.dir, 'absent') }
      await expect(openBox(driver, spec)).rejects.toThrow()
      expect(existsSync(spec.workspace)).toBe(false)
    })

    test('BOX-02 a box that is not ready in time is ended with all it started, and the call is told so', async () => {
      const word = rareSleep()
      const executorDir = join(place.dir, 'stalled')
      mkdirSync(executorDir)
      const stalled = `import { spawn } from 'node:child_process'
spawn('sleep', ['${word}'], { detached: true, stdio: 'ignore' })`
      writeFileSync(join(executorDir, 'main.ts'), stalled)
      driver = await create({ ...place.options, executorDir })
      await using pool = new BoxPool({
        driver,
        specFor: (id) => place.spec(`r1/${id}`),
        startTimeoutMs: 1_500,
        idleTimeoutMs: 60_000,
        maxBoxes: 1,
      })
      const lease = pool.lease('c1', new AbortController().signal)
      await expect(lease).rejects.toThrow('The sandbox did not start within 1.5 s')
      await expect.poll(() => pool.size, { timeout: 30_000 }).toBe(0)
      await untilGone(word)
      expect(await driver.sweep(`${place.prefix}r1/`)).toBe(0)
    })

    confinedTest(
      'THREAT-9 THREAT-11 a confined box reads neither our environment, our secret files nor the passwords',
      async () => {
        await prepare()
        const secret = join(place.dir, 'signing.key')
        writeFileSync(secret, 'the-key', { mode: 0o600 })
        await using client = await openBox(driver, place.spec('r1/c1'))
        expect(await client.script(`cat ${secret} /etc/shadow || true`)).not.toMatch(
          /the-key|root:/,
        )
        const environ = await client.script(
          `cat /proc/${process.pid}/environ | tr '\\0' '\\n' || true`,
        )
        expect(environ).not.toContain('PATH=')
      },
    )

    confinedTest(
      'BASH-03 a command that has left its group, its parent and its environment ends with its call, whether that ended or was stopped',
      async () => {
        await prepare()
        const [word, other] = [rareSleep(), rareSleep()]
        await using client = await openBox(driver, place.spec('r1/c1'))
        await client.leave(`exec sleep ${other}`)
        const hidden = `(env -i setsid sh -c "trap '' TERM; touch begun; (sleep ${word}) & sleep 0.1" &)`
        expect(await client.script(`${hidden}; sleep 60`, 2)).toContain('timeout')
        expect(processesWith(word)).toEqual([])
        const said = await client.script(
          `${hidden}; nohup sleep ${word} >/dev/null 2>&1 & disown; (setsid sh -c 'sleep ${word} &' &); ${untilBegun}; echo fine`,
        )
        expect(said).toMatch(/^fine\n\[\d+ process(es)? left running by it ended with it/m)
        expect(processesWith(word)).toEqual([])
        expect(processesWith(other)).toHaveLength(1)
        expect(await client.bash('echo alive')).toBe('alive\n')
      },
    )

    confinedTest(
      'BOX-05 a confined box cannot read or change another session’s workspace',
      async () => {
        await prepare()
        const other = place.spec('r1/other')
        await using theirs = await openBox(driver, other)
        await theirs.bash('echo private > note')
        const note = join(canonicalPath(other.workspace), 'note')
        await using client = await openBox(driver, place.spec('r1/c1'))
        expect(await client.script(`cat ${note} || true`)).not.toContain('private')
        await client.script(`echo changed > ${note} || true`)
        expect(await theirs.bash('cat note')).toContain('private')
        const environs = await client.script("cat /proc/[0-9]*/environ | tr '\\0' '\\n' || true")
        expect(environs).toContain('r1/c1')
        expect(environs).not.toContain('r1/other')
      },
    )
  })
}
