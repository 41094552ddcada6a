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
  ])(
    'BASH-10 are one if commands and file tools reach the same paths: %s',
    (_what, files, commands) => {
      expect(boxes(files, commands).commandMounts).toBeUndefined()
    },
  )

  test('BASH-10 are two if they do not, each with its own paths, without those that do not exist', () => {
    expect(boxes('/tmp,/nowhere', '/usr/share,/nowhere')).toEqual({
      mounts: { ...given, readWrite: ['/tmp'] },
      commandMounts: { ...given, readWrite: ['/usr/share'], workspaceParts: [] },
    })
  })

  test('BASH-10 give commands only the listed parts of the workspace, also if there is only one box', () => {
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

  test('BASH-06 are two if commands have a network, which only their box has', () => {
    const { mounts, commandMounts } = boxes('', '', network)
    expect(commandMounts).toEqual({ ...given, readWrite: [], network: true })
    expect(mounts).toEqual({ ...given, readWrite: [] })
    expect(boxes('', '', allowed).commandMounts).toBeUndefined()
  })

  test('FILE-02 BOX-07 a readable path is mounted into both, by its name or with everything below it', () => {
    const settings = {
      COUNTERSIGN_TOOLS_FILE_ALLOW_READ: '/etc/hostname,/usr/share/**,/etc/host?ame,/**',
    }
    const { mounts, commandMounts } = boxes('', '/tmp', settings)
    for (const given of [mounts, commandMounts])
      expect(given?.readOnly).toEqual(['/etc/hostname', '/usr/share'])
  })

  test('BASH-10 are one for a driver without mounts', () => {
    expect(boxes('', '/tmp', {}, 'process').commandMounts).toBeUndefined()
  })
})
