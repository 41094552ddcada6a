import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPlace, outputOf } from './place.ts'

const putBack = 'it failed, so the workspace was put back as it was before'

describe('a command in a transaction', () => {
  test('BASH-07 a failed one leaves the workspace unchanged: files, directories, links, permissions, times', async () => {
    await using place = await createPlace()
    place.shell(`
      mkdir -p d/e closed; echo one > one; echo two > d/e/two; ln -s d/e/two link; ln -s nowhere dead
      printf 'x\\0y' > bytes; : > empty; chmod 600 one; chmod 755 d/e/two; touch -d 2001-02-03 one
      echo in > closed/in; chmod 555 closed; echo latin > $'caf\\xe9'; echo nl > $'a\\nb'`)
    const before = place.tree()
    const outcome = await place.bash(`
      rm -rf d; rm one; echo three > d; chmod 755 closed; rm -r closed; mkdir -p new/deep; echo n > new/deep/n
      rm link; ln -s one link; mkdir dead.d; rm dead; mv empty moved; echo more >> bytes; rm $'caf\\xe9'; echo x > $'a\\nb'
      chmod 000 new; echo said; exit 3`)
    expect(outcome).toMatchObject({ kind: 'succeeded', envelope: { exit_code: 3 } })
    expect(outputOf(outcome)).toContain(`said\n[exit code 3]\n[${putBack}`)
    expect(place.tree()).toEqual(before)
  })

  test('BASH-07 a successful one keeps its changes, and one that fails without a change does not mention a restore', async () => {
    await using place = await createPlace()
    expect(outputOf(await place.bash('echo new > new'))).toBe('(no output)')
    const after = place.tree()
    expect(outputOf(await place.bash('cat new; false'))).toBe('new\n[exit code 1]')
    expect(place.tree()).toEqual(after)
  })

  test('BASH-07 BASH-03 one that ends by its time limit, a signal or a stop is restored too', async () => {
    await using place = await createPlace()
    place.shell('echo kept > kept')
    const before = place.tree()
    const late = await place.bash('rm kept; touch made; sleep 60', { timeoutMs: 5_000 })
    expect(late).toMatchObject({ kind: 'failed', error: { category: 'timeout' } })
    expect(outputOf(late)).toContain(putBack)
    expect(place.tree()).toEqual(before)
    expect(outputOf(await place.bash('rm kept; kill -9 $$'))).toContain(putBack)
    expect(place.tree()).toEqual(before)
    const callId = await place.send('bash', { command: 'rm kept; touch on; sleep 60' })
    await expect.poll(() => existsSync(join(place.workspace, 'on')), { timeout: 30_000 }).toBe(true)
    const facts = place.made.facts({ callId, type: 'cancel' })
    await place.made.send(place.made.sign(facts, ''))
    expect(await place.made.outcome(callId)).toMatchObject({ error: { category: 'cancelled' } })
    expect(place.tree()).toEqual(before)
  })

  test('BASH-07 LOOP-05 if its box dies, another box restores the workspace, and the result says so', async () => {
    await using place = await createPlace()
    place.shell('echo kept > kept')
    const before = place.tree()
    const outcome = await place.bash('rm kept; kill -9 $PPID; sleep 1')
    expect(outcome).toMatchObject({ kind: 'interrupted', note: expect.stringContaining(putBack) })
    expect(place.tree()).toEqual(before)
  })

  test('BASH-07 BASH-10 where commands have their own box, the box for files restores their changes', async () => {
    const commandMounts = { readWrite: [], readOnly: [], masked: [] }
    await using place = await createPlace({ commandMounts })
    place.shell('echo kept > kept')
    const before = place.tree()
    expect(outputOf(await place.bash('rm kept; echo new > new; false'))).toContain(putBack)
    expect(place.tree()).toEqual(before)
    expect(place.made.driver.started).toHaveLength(2)
    await place.bash('rm kept')
    await place.undo()
    expect(place.tree()).toEqual(before)
  })

  test('BASH-07 changes of other writing tools are restored when they fail half-way', async () => {
    await using place = await createPlace()
    place.shell('mkdir -p d/a d/b; echo a > d/a/a; echo b > d/b/b; echo f > f')
    const before = place.tree()
    const source = join(place.workspace, 'd')
    const gone = await place.run(
      'move_path',
      { source: 'd', destination: 'd/a/inside' },
      { judged: [source, join(source, 'a/inside')] },
    )
    expect(gone).toMatchObject({ kind: 'failed' })
    expect(place.tree()).toEqual(before)
  })

  test('BASH-07 over max_snapshot_bytes a warning precedes the output, and snapshot_required refuses', async () => {
    await using place = await createPlace()
    place.shell('head -c 5000 /dev/zero > big')
    const small = { maxBytes: 4999, isRequired: false }
    const warned = await place.bash('echo said; rm big; false', { transaction: small })
    expect(outputOf(warned)).toBe(
      '[no snapshot could be taken (it holds more than 4999 bytes): neither a failure nor /undo puts the workspace back]\nsaid\n[exit code 1]',
    )
    expect(existsSync(join(place.workspace, 'big'))).toBe(false)
    place.shell('head -c 5000 /dev/zero > big')
    const refused = await place.bash('rm big', { transaction: { ...small, isRequired: true } })
    expect(refused).toMatchObject({
      kind: 'failed',
      error: { category: 'policy_blocked', message: expect.stringContaining('4999 bytes') },
    })
    expect(existsSync(join(place.workspace, 'big'))).toBe(true)
    const exact = { maxBytes: 5000, isRequired: true }
    expect(outputOf(await place.bash('rm big; false', { transaction: exact }))).toContain(putBack)
  })

  test('BASH-07 a tree with endless levels gets no snapshot instead of a partial one', async () => {
    await using place = await createPlace()
    place.shell('d=.; for i in $(seq 250); do d=$d/d; done; mkdir -p $d')
    expect(outputOf(await place.bash('true'))).toContain(
      '[no snapshot could be taken (it has more than 200 levels)',
    )
  })

  test('BASH-07 GATE-12 masked paths are neither saved nor restored', async () => {
    await using place = await createPlace()
    place.shell('echo secret > .env; mkdir -p c; echo own > c/own; echo f > f')
    const { rules } = place.made.facts()
    const masked = [join(place.workspace, '.env'), join(place.workspace, 'c/own')]
    await place.bash('echo changed > .env; echo changed > c/own; rm f; false', {
      rules: { ...rules, masked },
    })
    const texts = ['.env', 'c/own', 'f'].map((name) =>
      readFileSync(join(place.workspace, name), 'utf8'),
    )
    expect(texts).toEqual(['changed\n', 'changed\n', 'f\n'])
    const kept = readdirSync(place.snapshots, { recursive: true, encoding: 'utf8' })
      .map((path) => join(place.snapshots, path))
      .filter((path) => path.includes('/contents/'))
      .map((path) => readFileSync(path, 'utf8'))
    expect(kept.join()).not.toContain('secret')
  })

  test('BASH-07 GATE-12 paths that are masked under another name of the workspace are left alone too', async () => {
    await using place = await createPlace()
    place.shell(`mkdir data; echo own > data/own; ln -s . ../../name`)
    const name = join(place.made.root, 'name', 'workspaces', 'conversation-1')
    const { rules } = place.made.facts()
    await place.bash('echo changed > data/own; echo new > data/new; false', {
      rules: { ...rules, masked: [join(name, 'data')] },
    })
    expect(readFileSync(join(place.workspace, 'data/own'), 'utf8')).toBe('changed\n')
    expect(existsSync(join(place.workspace, 'data/new'))).toBe(true)
  })

  test('BASH-07 one that takes the owner’s access to the workspace away is restored', async () => {
    await using place = await createPlace()
    place.shell('echo kept > kept')
    const before = place.tree()
    expect(outputOf(await place.bash('rm kept; chmod 000 .; false'))).toContain(putBack)
    expect(lstatSync(place.workspace).mode & 0o700).toBe(0o700)
    expect(place.tree()).toEqual(before)
  })

  test('BASH-07 a call without a transaction discards what /undo could restore', async () => {
    await using place = await createPlace()
    await place.bash('echo a > a')
    await place.run(
      'read',
      { path: 'a' },
      { transaction: undefined, judged: [join(place.workspace, 'a')] },
    )
    expect(readdirSync(place.snapshots)).toHaveLength(1)
    await place.bash('echo b > b', { transaction: undefined })
    expect(readdirSync(place.snapshots)).toEqual([])
    expect(await place.undo()).toMatchObject({
      error: { message: 'there is no snapshot to go back to' },
    })
    expect(place.tree()).toHaveLength(2)
  })

  test('BASH-07 calls with a snapshot of one workspace run one after the other', async () => {
    await using place = await createPlace()
    const first = await place.send('bash', { command: 'echo x > x; sleep 1; false' })
    await expect.poll(() => existsSync(join(place.workspace, 'x')), { timeout: 30_000 }).toBe(true)
    const second = await place.send('bash', { command: 'echo y > y' })
    await place.made.outcome(first)
    await place.made.outcome(second)
    expect(place.tree().map((line) => line.split(' ')[0])).toEqual(['y'])
  })

  test('BASH-07 LOOP-05 if the box died during a call without a snapshot, the result says so', async () => {
    await using place = await createPlace()
    const small = { transaction: { maxBytes: 0, isRequired: false } }
    place.shell('echo kept > kept')
    const outcome = await place.bash('kill -9 $PPID; sleep 1', small)
    expect(outcome).toMatchObject({
      kind: 'interrupted',
      note: expect.stringContaining('no snapshot could be taken'),
    })
  })

  test('BASH-07 THREAT-20 restoring never follows a link that was put in the way', async () => {
    await using place = await createPlace()
    place.shell('mkdir d; echo in > d/in')
    writeFileSync(join(place.made.root, 'in'), 'outside')
    // The directory is a link when the file in it is restored.
    const outcome = await place.bash(`rm -r d; ln -s ${place.made.root} d; false`)
    expect(outputOf(outcome)).toContain(putBack)
    expect(readFileSync(join(place.made.root, 'in'), 'utf8')).toBe('outside')
    expect(place.tree().map((line) => line.split(' ')[0])).toEqual(['d/', 'd/in'])
  })

  test('BASH-07 a failed command leaves nothing of any change to any tree (property)', async () => {
    await using place = await createPlace()
    const name = fc.constantFrom('a', 'b', 'c', 'a/x', 'a/y', 'b/x', 'b/x/z', "'s p'", "$'\\xff'")
    const step = fc.oneof(
      fc
        .tuple(fc.constantFrom('rm -rf', 'mkdir -p', 'touch', 'chmod 000', 'chmod 700'), name)
        .map((words) => words.join(' ')),
      fc.tuple(name, fc.nat(99)).map(([at, text]) => `echo ${text} > ${at}`),
      fc
        .tuple(fc.constantFrom('mv -T', 'cp -rT', 'ln -s', 'ln'), name, name)
        .map((words) => words.join(' ')),
    )
    const steps = fc.array(fc.oneof({ weight: 20, arbitrary: step }, fc.constant('mkfifo pipe')), {
      maxLength: 8,
    })
    const script = (lines: readonly string[]) =>
      lines.map((line) => `${line} 2>/dev/null`).join('\n')
    await fc.assert(
      fc.asyncProperty(steps, steps, async (first, second) => {
        place.shell(
          `chmod -R u+rwx . ; find . -mindepth 1 -delete\n${script(first)}\nchmod -R u+rwx .; find . -type p -delete\ntrue`,
        )
        const before = place.tree()
        await place.bash(`${script(second)}\nfalse`)
        expect(place.tree()).toEqual(before)
      }),
      { numRuns: 40 },
    )
  })
})
