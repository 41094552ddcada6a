import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBubblewrapDriver } from '../../../src/adapters/sandbox/bubblewrap/bubblewrap-driver.ts'
import { chooseSandbox } from '../../../src/adapters/sandbox/choose-sandbox.ts'
import { type Log, silentLog } from '../../../src/util/log.ts'
import { requirement } from '../../support/run/requirements.ts'
import { makeSandboxPlace } from './fixtures/sandbox-place.ts'

function recordingLog(): { log: Log; messages: string[] } {
  const messages: string[] = []
  const keep = (_fields: object, message: string) => messages.push(message)
  return { log: { ...silentLog, info: keep, warn: keep }, messages }
}

requirement.bubblewrap('BOX-01 auto takes bubblewrap where it works and says so', async () => {
  await using place = makeSandboxPlace()
  const { log, messages } = recordingLog()
  const { driver, why } = await chooseSandbox({ ...place.options, driver: 'auto', log })
  expect(driver.name).toBe('bubblewrap')
  expect(why).toContain('bubblewrap')
  expect(messages).toContain(`sandbox: ${why}`)
})

requirement.bubblewrap(
  'BOX-04 THREAT-31 where bwrap cannot forbid namespaces the filter of system calls does; without both it is said, and root starts no box',
  async () => {
    await using place = makeSandboxPlace()
    const lacking = (options: string) => {
      const bwrapBinary = join(place.dir, 'bwrap')
      const script = `#!/bin/sh\ncase "$*" in ${options}) exit 1; esac\nexec bwrap "$@"\n`
      writeFileSync(bwrapBinary, script, { mode: 0o755 })
      return createBubblewrapDriver({ ...place.options, bwrapBinary })
    }
    const warning = expect.stringContaining('user namespaces')
    expect((await lacking('*--disable-userns*')).warnings).not.toContainEqual(warning)
    const without = lacking('*--disable-userns*|*--seccomp*')
    if (process.getuid?.() === 0) await expect(without).rejects.toThrow('no filter of system calls')
    else expect((await without).warnings).toContainEqual(warning)
  },
)

test('BOX-01 auto falls back to process, with the reason and warnings', async () => {
  await using place = makeSandboxPlace()
  const { log, messages } = recordingLog()
  const options = { ...place.options, bwrapBinary: '/nonexistent/bwrap' }
  const { driver, why } = await chooseSandbox({ ...options, driver: 'auto', log })
  expect(driver.name).toBe('process')
  expect(why).toMatch(/bubblewrap does not work here .*nonexistent/)
  expect(messages).toEqual([`sandbox: ${why}`, ...driver.warnings])
  expect(driver.warnings.length).toBeGreaterThan(0)
})

test('BOX-01 a requested driver that does not work is an error, and no other driver is used', async () => {
  await using place = makeSandboxPlace()
  const options = { ...place.options, bwrapBinary: '/nonexistent/bwrap', log: silentLog }
  await expect(chooseSandbox({ ...options, driver: 'bubblewrap' })).rejects.toThrow('bubblewrap')
})

test("BASH-06 if commands should have a network, drivers that only have the host's are refused with a reason", async () => {
  await using place = makeSandboxPlace()
  const options = { ...place.options, network: 'for-commands', log: silentLog }
  for (const driver of ['bubblewrap', 'process'] as const)
    await expect(chooseSandbox({ ...options, driver }), driver).rejects.toThrow(
      /no network but the host's.*\[sandbox\] driver = "docker"/,
    )
  const all =
    /bubblewrap does not work here .*docker does not work here .*process does not work here/
  await expect(chooseSandbox({ ...options, driver: 'auto' })).rejects.toThrow(all)
})
