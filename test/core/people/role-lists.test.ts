import { expect, test } from 'vitest'
import { isAccount, isListedById, listedPeople } from '../../../src/core/people/people.ts'

const none = { approvers: [], operators: [] }

test('CHAT-01 an entry like U012AB3CD is a member of Slack, any other a username', () => {
  const meant = (platform: string, entry: string) =>
    listedPeople(platform, { users: [entry], ...none }).map(({ person }) => person)
  expect(meant('slack', 'U012AB3CD')).toEqual([{ kind: 'id', callerId: 'slack:U012AB3CD' }])
  expect(meant('slack', 'W012AB3CD')).toEqual([{ kind: 'id', callerId: 'slack:W012AB3CD' }])
  for (const name of ['u012ab3cd', '@ursula', 'U1', '42', 'T0TEAM0001', 'U012AB3CD '])
    expect(meant('slack', name)).toMatchObject([{ kind: 'username' }])
  expect(meant('telegram', 'U012AB3CD')).toMatchObject([{ kind: 'username' }])
  expect(meant('telegram', '42')).toEqual([{ kind: 'id', callerId: 'telegram:42' }])
})

test('CHAT-01 a listed id is the whole id, of the platform that it stands for', () => {
  const listed = 'slack:U012AB3CD'
  expect(isAccount(listed, 'slack:T1:U012AB3CD')).toBe(true)
  for (const other of [
    'slack:T1:U012AB3CDE',
    'slack:T1:U012AB3C',
    'slack:U012AB3CD:T1',
    'telegram:T1:U012AB3CD',
    'slack:T1:',
    'slack:T1:u012ab3cd',
    '',
  ])
    expect(isAccount(listed, other), other).toBe(false)
  expect(isAccount('telegram:42', 'telegram:42')).toBe(true)
  expect(isAccount('telegram:42', 'telegram:1:42')).toBe(false)
})

test('CHAT-01 whom a username lets in is not known by the id alone, and empty lists are nobody', () => {
  const lists = { users: ['ada', 'U012AB3CD'], ...none }
  expect(isListedById('slack', lists, 'slack:T1:U012AB3CD')).toBe(true)
  expect(isListedById('slack', lists, 'slack:T1:U0ADA0001')).toBe(false)
  expect(isListedById('slack', { users: [], ...none }, 'slack:T1:U012AB3CD')).toBe(false)
  expect(isListedById('slack', undefined, 'slack:T1:U012AB3CD')).toBe(false)
})
