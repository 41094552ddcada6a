import { describe, expect, test } from 'vitest'
import { Environment } from '../../src/config/env.ts'

describe('CONF-03 the environment', () => {
  test('CONF-03 empty variables are unset', () => {
    const environment = new Environment({ HOME: '', TERM: 'xterm', TZ: undefined })
    expect(environment.home).toBeUndefined()
    expect(environment.tz).toBeUndefined()
    expect(environment.names()).toEqual(['TERM'])
  })

  test.for([
    [undefined, false],
    ['', false],
    ['false', false],
    ['0', false],
    ['true', true],
    ['1', true],
    ['woodpecker', true],
  ] as const)('CONF-03 CI=%s means %s', ([value, ci]) => {
    expect(new Environment({ CI: value }).ci).toBe(ci)
  })

  test('CONF-03 terminal, person and directories are told by name', () => {
    const environment = new Environment({
      HOME: '/home/ada',
      USER: 'ada',
      TERM: 'xterm-256color',
      COLUMNS: '132',
      NO_COLOR: '1',
      XDG_RUNTIME_DIR: '/run/user/7',
      PATH: '/bin',
      LANG: 'C.UTF-8',
      TZ: 'Europe/Vienna',
    })
    expect(environment).toMatchObject({
      home: '/home/ada',
      user: 'ada',
      term: 'xterm-256color',
      columns: 132,
      noColor: true,
      xdgRuntimeDir: '/run/user/7',
      path: '/bin',
      lang: 'C.UTF-8',
      tz: 'Europe/Vienna',
    })
  })

  test('CONF-03 there is always a user name, and columns are a number or nothing', () => {
    expect(new Environment({}).user).not.toBe('')
    expect(new Environment({ LOGNAME: 'bob' }).user).toBe('bob')
    for (const columns of ['wide', '0', '-80', '8e1']) {
      expect(new Environment({ COLUMNS: columns }).columns).toBeUndefined()
    }
  })
})
