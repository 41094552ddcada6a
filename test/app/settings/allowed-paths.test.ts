import { expect, test } from 'vitest'
import { allowedPathsOf } from '../../../src/app/settings/paths.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'

function allowed(workspace: string | undefined, ...paths: readonly string[]): readonly string[] {
  const environment = new Environment({
    COUNTERSIGN_TOOLS_FILE_ALLOWED_PATHS: paths.join(','),
    ...(workspace === undefined ? {} : { COUNTERSIGN_WORKER_WORKSPACE: workspace }),
  })
  const loaded = loadConfig({ cwd: '/tmp', environment })
  if (loaded.kind !== 'ok') throw new Error('the configuration is wrong')
  return allowedPathsOf(loaded.config, loaded.config.tools.file.allowedPaths)('/workspace')
}

test.each([
  ['nothing is named', '/srv/ws', [], []],
  [
    'the workspace itself',
    '/srv/ws',
    ['/srv/ws', '/srv/ref'],
    ['/srv/ws', '/srv/ref', '/workspace'],
  ],
  ['what holds it', '/srv/ws', ['/srv'], ['/srv', '/workspace']],
  ['a part of it', '/srv/ws', ['/srv/ws/src'], ['/srv/ws/src', '/workspace/src']],
  ['a name that only begins alike', '/srv/ws', ['/srv/ws-evil'], ['/srv/ws-evil']],
  ['one workspace a conversation', undefined, ['/srv'], ['/srv']],
  ['a folder of the workspace', undefined, ['src', './a/'], ['/workspace/src', '/workspace/a']],
  ['the workspace by its own name', undefined, ['.', '/srv'], ['/srv', '/workspace']],
])('FILE-01 allowed paths as a box sees them: %s', (_what, workspace, paths, expected) => {
  expect(allowed(workspace, ...paths)).toEqual(expected)
})
