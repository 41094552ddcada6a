import { describe, expect, test } from 'vitest'
import { sessionBoxes } from '../../../src/app/settings/session-boxes.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'

const allowed = { COUNTERSIGN_TOOLS_SHELL_ALLOW_NETWORK: 'true' }
const network = { ...allowed, COUNTERSIGN_SANDBOX_NETWORK: 'for-commands' }

function boxes(
  files: string,
  commands: string,
  settings: Readonly<Record<string, string>> = {},
  driver: 'docker' | 'bubblewrap' | 'process' = 'docker',
) {
  const environment = new Environment({
    COUNTERSIGN_TOOLS_FILE_ALLOWED_PATHS: files,
    COUNTERSIGN_TOOLS_SHELL_ALLOWED_PATHS: commands,
    COUNTERSIGN_WORKER_WORKSPACE: '/srv/ws',
    ...settings,
  })
  const loaded = loadConfig({ cwd: '/', environment })
  if (loaded.kind !== 'ok') throw new Error('the configuration is wrong')
  return sessionBoxes(loaded.config, driver, ['/masked'])
}

const given = { readOnly: [], masked: ['/masked'] }

describe('the boxes of a session', () => {
  test.each([
    ['both empty', '', ''],
    ['the same list', '/usr/share,/tmp', '/tmp,/usr/share'],
    ['the workspace by its name and unnamed', '', '.'],
  ])('BASH-10 one where commands and file tools reach the same: %s', (_what, files, commands) => {
    expect(boxes(files, commands).commandMounts).toBeUndefined()
  })

  test('BASH-10 two where they do not, each with its own places, and what is missing in neither', () => {
    expect(boxes('/tmp,/nowhere', '/usr/share,/nowhere')).toEqual({
      mounts: { ...given, readWrite: ['/tmp'] },
      commandMounts: { ...given, readWrite: ['/usr/share'], workspaceParts: [] },
    })
  })

  test('BASH-10 of the workspace commands get what their list names, also as the only box', () => {
    const parts = (commands: string, settings = {}) => {
      const { mounts, commandMounts = mounts } = boxes('', commands, settings)
      return commandMounts.workspaceParts
    }
    expect(parts('')).toBeUndefined()
    expect(parts('src')).toEqual(['src'])
    expect(parts('/srv/ws/src,/srv/other')).toEqual(['src'])
    expect(parts('/srv')).toBeUndefined()
    expect(parts('/srv/ws')).toBeUndefined()
    expect(boxes('/tmp', '/tmp').mounts.workspaceParts).toEqual([])
  })

  test('BASH-06 with a network commands have a box of their own, the only one that has it', () => {
    const { mounts, commandMounts } = boxes('', '', network)
    expect(commandMounts).toEqual({ ...given, readWrite: [], network: true })
    expect(mounts).toEqual({ ...given, readWrite: [] })
    expect(boxes('', '', allowed).commandMounts).toBeUndefined()
  })

  test('FILE-02 BOX-07 a place to read is mounted, by its name or with all below it, into both', () => {
    const settings = {
      COUNTERSIGN_TOOLS_FILE_ALLOW_READ: '/etc/hostname,/usr/share/**,/etc/host?ame,/**',
    }
    const { mounts, commandMounts } = boxes('', '/tmp', settings)
    for (const given of [mounts, commandMounts])
      expect(given?.readOnly).toEqual(['/etc/hostname', '/usr/share'])
  })

  test('BASH-10 a driver that mounts nothing has one', () => {
    expect(boxes('', '/tmp', {}, 'process').commandMounts).toBeUndefined()
  })
})
