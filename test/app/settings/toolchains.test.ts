import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sessionBoxes } from '../../../src/app/settings/session-boxes.ts'
import { readToolchains } from '../../../src/app/settings/toolchains.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { prepareBox } from '../../../src/worker/box/prepare-box.ts'

function load(folders: string) {
  const environment = new Environment({
    HOME: '/home/ada',
    COUNTERSIGN_TOOLS_SHELL_TOOLCHAINS: folders,
  })
  return loadConfig({ cwd: '/', environment })
}

function configOf(...folders: readonly string[]) {
  const loaded = load(folders.join(','))
  if (loaded.kind !== 'ok') throw new Error('the configuration is wrong')
  return loaded.config
}

/** Creates a folder with these files. */
function folderWith(...files: readonly (readonly [name: string, text: string])[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-toolchain-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, text] of files) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return dir
}

test('BASH-12 a folder provides its programs and the variables of its kind', () => {
  const rustup = folderWith(
    ['settings.toml', 'version = "12"'],
    ['toolchains/stable/bin/cargo', ''],
  )
  const cargo = folderWith(['bin/cargo', ''], ['registry/index', ''])
  const go = folderWith(['bin/go', ''], ['src/fmt/print.go', ''])
  const java = folderWith(['bin/java', ''])
  const venv = folderWith(['pyvenv.cfg', 'home = /usr/bin'], ['bin/python', ''])
  const node = folderWith(['bin/node', ''], ['lib/node_modules/npm/package.json', '{}'])
  const plain = folderWith(['tool', ''])
  const all = [rustup, cargo, go, java, venv, node, plain]
  const found = readToolchains(configOf(...all, '/nowhere/at/all'))
  expect(found.folders).toEqual(all)
  expect(found.missing).toEqual(['/nowhere/at/all'])
  expect(found.masked).toEqual([])
  const path = [rustup, ...[cargo, go, java, venv, node].map((dir) => join(dir, 'bin')), plain]
  expect(found.variables).toEqual({
    PATH: path.join(':'),
    RUSTUP_HOME: rustup,
    CARGO_HOME: cargo,
    GOROOT: go,
    JAVA_HOME: java,
    VIRTUAL_ENV: venv,
  })
})

test('BASH-12 BASH-05 settings in it that hold credentials are masked, others are not', () => {
  const secret = ['credentials.toml', '.npmrc', 'config.toml', 'etc/pip.conf', 'gradle.properties']
  const dir = folderWith(
    ['credentials.toml', 'x'],
    ['.npmrc', ''],
    ['config.toml', '[registries.own]\ntoken = "x"'],
    ['etc/pip.conf', 'password = x'],
    ['gradle.properties', 'nexusPassword=x'],
    ['settings.toml', 'version = "12"'],
    ['env', 'export PATH'],
  )
  const { masked } = readToolchains(configOf(dir))
  expect([...masked].sort()).toEqual(secret.map((name) => join(dir, name)).sort())
})

test('BASH-12 BASH-05 settings in the installations of a version manager are masked too', () => {
  const token = '//registry/:_authToken=x'
  const secret = [
    'versions/node/v24.1.0/etc/npmrc',
    'versions/3.13.1/pip.conf',
    'candidates/maven/3.9.9/conf/settings.xml',
    'NuGet/NuGet.Config',
    'config',
  ]
  const dir = folderWith(
    ['versions/node/v24.1.0/etc/npmrc', token],
    ['versions/node/v24.1.0/bin/node', ''],
    ['versions/3.13.1/pip.conf', 'password = x'],
    ['candidates/maven/3.9.9/conf/settings.xml', '<password>x</password>'],
    ['NuGet/NuGet.Config', '<packageSourceCredentials><own/></packageSourceCredentials>'],
    ['config', '[registry]\ntoken = "x"'],
    ['versions/README', ''],
  )
  const { masked } = readToolchains(configOf(dir))
  expect([...masked].sort()).toEqual(secret.map((name) => join(dir, name)).sort())
})

test('BASH-12 BASH-05 credentials that appear after the worker has started are masked in boxes that start later', () => {
  const dir = folderWith(['bin/cargo', ''], ['env', ''])
  const workspace = folderWith()
  const { mounts } = sessionBoxes(configOf(dir), 'bubblewrap', ['/masked'])
  const start = () => prepareBox({ key: 'a', workspace, ...mounts }).masked
  expect(start()).toEqual(['/masked'])
  writeFileSync(join(dir, 'credentials.toml'), 'x')
  expect(start()).toEqual(['/masked', join(dir, 'credentials.toml')])
})

test.each([
  '/',
  '/root',
  '~',
  '/home/ada',
  '/etc',
  '/etc/ssl',
  '/home/ada/.ssh',
  '~/.aws',
  '~/.local',
  '/run',
  '/opt/../root',
])('BASH-12 BASH-05 %s is no toolchain', (folder) => {
  expect(load(folder).kind).not.toBe('ok')
})
