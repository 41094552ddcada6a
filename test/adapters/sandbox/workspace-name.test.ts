import { expect, test } from 'vitest'
import { workspaceName } from '../../../src/adapters/sandbox/box-mounts.ts'

const own = ['/proc', '/etc', '/tmp', '/opt/countersign', '/usr']

test.each([
  ['the one that was chosen', '/srv/project', '/srv/project', '/srv/project'],
  ['the same, written otherwise', '/srv/project', '/srv/x/../project/', '/srv/project'],
  ['among the system’s programs', '/usr/src/app', '/usr/src/app', '/usr/src/app'],
  ['in the box’s own temporary folder', '/tmp/a/ws', '/tmp/a/ws', '/tmp/a/ws'],
  ['another than was chosen', '/srv/other', '/srv/project', '/workspace'],
  ['none was chosen', '/data/workspaces/1', undefined, '/workspace'],
  ['it would hide all', '/', '/', '/workspace'],
  ['it would hide the box’s own', '/opt', '/opt', '/workspace'],
  ['it is the box’s own', '/tmp', '/tmp', '/workspace'],
  ['below what boxes make up', '/etc/app', '/etc/app', '/workspace'],
  ['below what no box has', '/sys/x', '/sys/x', '/workspace'],
])('BOX-07 the name of a workspace in a box: %s', (_title, host, kept, name) => {
  expect(workspaceName(host, kept, own)).toBe(name)
})
