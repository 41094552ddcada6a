import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPlace, outputOf } from './place.ts'

describe('/undo at a worker', () => {
  test('BASH-07 restores the state before the last call that changed something, and the next one reverts that', async () => {
    await using place = await createPlace()
    place.shell('mkdir d; echo one > d/one; echo two > two')
    const start = place.tree()
    await place.bash('rm -r d; echo 2 > two; echo three > three')
    const changed = place.tree()
    expect(outputOf(await place.bash('cat two'))).toBe('2\n')
    await place.bash('rm two; false')
    expect(place.tree()).toEqual(changed)
    const undone = outputOf(await place.undo())
    expect(undone).toMatch(
      /^Undone: 2 files restored, 1 directory or link made again, 1 new entry removed\./,
    )
    expect(undone).toContain('\n  three\n')
    expect(place.tree()).toEqual(start)
    expect(outputOf(await place.undo())).toMatch(/^Undone: 2 files restored, 1 new entry removed/)
    expect(place.tree()).toEqual(changed)
    await place.undo()
    expect(place.tree()).toEqual(start)
  })

  test('SHELL-11 restores executable configuration only when asked explicitly', async () => {
    await using place = await createPlace()
    place.shell('echo "touch ran" > .envrc; ln -s .envrc .profile; echo a > a')
    await place.bash('echo b > a')
    place.shell('rm .envrc .profile')
    const cleaned = place.tree()
    expect(await place.undo()).toMatchObject({
      error: { message: expect.stringMatching(/nothing was undone[\s\S]*\n {2}\.envrc/) },
    })
    expect(place.tree()).toEqual(cleaned)
    expect(outputOf(await place.run('undo', { own: false, anyway: true }))).toMatch(/^Undone/)
    expect(place.tree().some((line) => line.startsWith('.envrc '))).toBe(true)
  })

  test('BASH-07 reverts changes of write and of background commands too', async () => {
    await using place = await createPlace()
    const judged = [join(place.workspace, 'new')]
    await place.run('write', { path: 'new', content: 'x' }, { judged })
    expect(place.tree()).toHaveLength(1)
    await place.undo()
    expect(place.tree()).toEqual([])
    await place.run('bash', { command: 'echo b > b', background: true })
    await expect.poll(() => place.tree().some((line) => line.startsWith('b '))).toBe(true)
    await place.undo()
    expect(place.tree().filter((line) => line.startsWith('b '))).toEqual([])
  })

  test('BASH-07 reports when there is nothing to restore, or when restoring is impossible', async () => {
    await using place = await createPlace()
    expect(await place.undo()).toMatchObject({
      kind: 'failed',
      error: { category: 'permanent_failure', message: 'there is no snapshot to go back to' },
    })
    await place.bash('echo a > a')
    // A call without a snapshot: restoring the state before the previous one would revert it too.
    await place.bash('head -c 100 /dev/zero > big', {
      transaction: { maxBytes: 1, isRequired: false },
    })
    expect(await place.undo()).toMatchObject({ kind: 'failed' })
    expect(place.tree()).toHaveLength(2)
    await place.bash('echo c > c')
    // A call that was refused for want of a snapshot has changed nothing.
    await place.bash('echo d > d', { transaction: { maxBytes: 1, isRequired: true } })
    expect(outputOf(await place.undo())).toMatch(/entry removed.*\n {2}c$/s)
    expect(await place.undo({ transaction: undefined })).toMatchObject({
      error: { category: 'policy_blocked' },
    })
  })

  test('BASH-07 if the pipe to a box closes during a command, its changes are restored', async () => {
    await using place = await createPlace()
    place.shell('echo kept > kept')
    await place.bash('echo more > more')
    const later = place.tree()
    const callId = await place.send('bash', { command: 'rm kept; touch on; sleep 60' })
    await expect
      .poll(() => place.tree().some((line) => line.startsWith('on ')), { timeout: 30_000 })
      .toBe(true)
    for (const { box } of place.made.driver.started) box.stdin.destroy()
    await place.made.outcome(callId)
    expect(place.tree()).toEqual(later)
  })

  test('BASH-07 a worker that is stopped during a command restores its changes', async () => {
    await using place = await createPlace()
    place.shell('echo kept > kept')
    const before = place.tree()
    const callId = await place.send('bash', { command: 'rm kept; touch on; sleep 60' })
    await expect
      .poll(() => place.tree().some((line) => line.startsWith('on ')), { timeout: 30_000 })
      .toBe(true)
    await place.worker[Symbol.asyncDispose]()
    expect(await place.made.outcome(callId)).toMatchObject({
      error: { category: 'cancelled', message: 'the worker was stopped' },
      output: expect.stringContaining('the workspace was put back'),
    })
    expect(place.tree()).toEqual(before)
  })

  test('BASH-07 DECISION-20 a person who may revert only their own changes reverts nobody else’s, and running commands stay', async () => {
    await using place = await createPlace()
    await place.run('bash', { command: 'sleep 600', background: true })
    await place.bash('echo a > a', { caller: 'test:ada' })
    await place.bash('true', { caller: 'test:bob' })
    const boxes = place.made.driver.started.length
    expect(await place.undo({ caller: 'test:bob' })).toMatchObject({
      error: { category: 'policy_blocked', message: expect.stringContaining('Only the person') },
    })
    expect(place.made.driver.started).toHaveLength(boxes)
    expect(place.made.driver.alive()).toBe(boxes)
    expect(outputOf(await place.undo({ caller: 'test:ada' }))).toContain('1 new entry removed')
  })

  test('BASH-07 GATE-12 restoring a snapshot does not remove what was masked when it was taken', async () => {
    await using place = await createPlace()
    place.shell('echo own > own; echo a > a')
    const { rules } = place.made.facts()
    await place.bash('rm a', { rules: { ...rules, masked: [join(place.workspace, 'own')] } })
    expect(await place.undo()).toMatchObject({
      error: { message: 'there is no snapshot to go back to' },
    })
    expect(place.tree().map((line) => line.split(' ')[0])).toEqual(['own'])
  })

  test('BASH-07 a snapshot with missing contents is not restored partially', async () => {
    await using place = await createPlace()
    place.shell('echo one > one; echo two > two')
    await place.bash('rm one two')
    const [store = ''] = readdirSync(place.snapshots)
    const contents = join(place.snapshots, store, 'contents')
    truncateSync(join(contents, readdirSync(contents)[0] ?? ''))
    expect(await place.undo()).toMatchObject({ error: { message: 'the snapshot is damaged' } })
    expect(place.tree()).toEqual([])
    expect(await place.undo()).toMatchObject({
      error: { message: 'there is no snapshot to go back to' },
    })
    expect(outputOf(await place.bash('echo new > new'))).toBe('(no output)')
    expect(outputOf(await place.undo())).toContain('1 new entry removed')
  })

  test('BASH-07 if the present state cannot be saved, nothing is restored unless asked explicitly', async () => {
    await using place = await createPlace()
    const small = { transaction: { maxBytes: 1_000, isRequired: false } }
    place.shell('echo one > one')
    const before = place.tree()
    await place.bash('rm one; head -c 2000 /dev/zero > big', small)
    expect(await place.undo(small)).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringMatching(/nothing was undone.*1000 bytes.*\/undo anyway/) },
    })
    expect(place.tree().map((line) => line.split(' ')[0])).toEqual(['big'])
    const done = await place.run('undo', { own: false, anyway: true }, small)
    expect(outputOf(done)).toContain('This cannot be undone')
    expect(place.tree()).toEqual(before)
  })

  test('BASH-07 a failed command leaves the logs of background commands alone', async () => {
    await using place = await createPlace()
    const command = 'while [ ! -e go ]; do sleep 0.02; done; echo said; echo > over; sleep 60'
    await place.run('bash', { command, background: true })
    expect(outputOf(await place.bash('echo x > made; false'))).toContain('1 new entry removed')
    await place.bash('touch go')
    await expect
      .poll(() => place.tree().some((line) => line.startsWith('over')), { timeout: 30_000 })
      .toBe(true)
    expect(outputOf(await place.bash('cat .jobs/*.log'))).toBe('said\n')
  })

  test('BASH-07 contents are stored once, and only while a snapshot needs them', async () => {
    await using place = await createPlace()
    place.shell('for i in $(seq 30); do echo $i > $i; done')
    for (let round = 0; round < 3; round += 1) await place.bash(`echo ${round} > 1`)
    const [store = ''] = readdirSync(place.snapshots)
    expect(readdirSync(join(place.snapshots, store, 'contents'))).toHaveLength(30)
  })
})
