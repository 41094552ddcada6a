import { describe, expect, test } from 'vitest'
import { unservedSettings } from '../../src/app/unserved-settings.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'

function unserved(variables: Readonly<Record<string, string>>): readonly string[] {
  const loaded = loadConfig({ cwd: '/nowhere', environment: new Environment(variables) })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return unservedSettings(loaded.config)
}

describe('settings whose protection is not there yet', () => {
  test('CONF-02 defaults are served', () => {
    expect(unserved({})).toEqual([])
  })

  test.each(['POLICY', 'AUTHORIZATION', 'ADVERSARIAL_POLICY'])(
    'POL-01 POL-05 [tools.%s] is served',
    (section) => {
      expect(unserved({ [`COUNTERSIGN_TOOLS_${section}_ENABLED`]: 'true' })).toEqual([])
    },
  )

  test.each([['SLACK_BOT_TOKEN', 'xoxb-a-token', 'SLACK_BOT_TOKEN']])(
    'CONF-02 %s=%s is refused by name instead of ignored',
    (name, value, named) => {
      expect(unserved({ [name]: value })).toEqual([expect.stringContaining(named)])
    },
  )
})
