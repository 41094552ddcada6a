import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mcpToolName } from '../../../src/domain/tool/mcp-tool.ts'
import { namesTool } from '../../../src/rules/tools/mcp-names.ts'
import { presumedTool, toPresumed } from '../../../src/rules/tools/presumed-tool.ts'
import { createRegistry } from '../../../src/rules/tools/registry.ts'

const tool = (server: string, name: string) => toPresumed({ server, tool: name })

describe('names of the tools of servers', () => {
  test('REG-03 the name joins server and tool, with _ for what names may not hold', () => {
    expect(mcpToolName('github', 'create_issue')).toBe('github_create_issue')
    expect(mcpToolName('my.server', 'a/b c')).toBe('my_server_a_b_c')
    expect(createRegistry([tool('a', 'x')]).find('a_x')?.ruledBy).toEqual({ kind: 'arguments' })
  })

  test.each<[string, string, string, boolean]>([
    ['mcp__github__create_issue', 'github', 'create_issue', true],
    ['mcp__github__create_*', 'github', 'create_issue', true],
    ['mcp__github__*', 'github', 'create_issue', true],
    ['mcp__github', 'github', 'create_issue', true],
    ['mcp__*', 'github', 'create_issue', true],
    ['mcp__git*__create_issue', 'github', 'create_issue', true],
    ['github_create_issue', 'github', 'create_issue', true],
    ['github_*', 'github', 'create_issue', true],
    ['mcp__github__create_issues', 'github', 'create_issue', false],
    ['mcp__git', 'github', 'create_issue', false],
    ['mcp__GitHub__create_issue', 'github', 'create_issue', false],
    ['mcp__s__a.b', 's', 'a.b', true],
    ['mcp__s__a_b', 's', 'a.b', true],
    // One joined name, two tools.
    ['mcp__a__b_c', 'a', 'b_c', true],
    ['mcp__a__b_c', 'a_b', 'c', false],
    ['mcp__a_b__c', 'a_b', 'c', true],
    ['mcp__a_b__c', 'a', 'b_c', false],
    ['mcp__a__*', 'a_b', 'c', false],
    ['mcp__a', 'a_b', 'c', false],
    // Two underscores in a name: the server ends at the first.
    ['mcp__a__b__c', 'a', 'b__c', true],
    ['mcp__a__b__c', 'a__b', 'c', false],
    ['mcp__a___b', 'a', '_b', true],
    ['mcp__a___b', 'a_', 'b', false],
    // A server whose joined name looks like that of another.
    ['mcp__github__x', 'mcp', '_github__x', false],
    ['mcp__*__x', 'mcp', '_github__x', false],
  ])('MCP-03 an allow for %s is one for %s/%s: %s', (written, server, name, isNamed) => {
    expect(namesTool(written, tool(server, name), 'allow')).toBe(isNamed)
  })

  test.each([
    ['mcp__a__b__c', 'a', 'b__c'],
    ['mcp__a__b__c', 'a__b', 'c'],
    ['mcp__a___b', 'a_', 'b'],
    ['mcp*', 'a', 'b'],
    ['*__create_*', 'github', 'create_issue'],
    ['mcp__github__x', 'mcp', '_github__x'],
  ])('MCP-03 a deny for %s holds however the name is read: %s/%s', (written, server, name) => {
    expect(namesTool(written, tool(server, name), 'deny')).toBe(true)
    expect(namesTool(written, tool(server, name), 'ask')).toBe(true)
  })

  test('MCP-03 an alias names at most one tool for an allow, and never one of another server', () => {
    const part = fc.stringMatching(/^[ab_]{1,5}$/)
    fc.assert(
      fc.property(part, part, part, part, (server, name, other, otherName) => {
        const alias = `mcp__${server}__${name}`
        const isOther = server !== other || name !== otherName
        const both =
          namesTool(alias, tool(server, name), 'allow') &&
          namesTool(alias, tool(other, otherName), 'allow')
        expect(both && isOther).toBe(false)
        expect(namesTool(alias, tool(server, name), 'deny')).toBe(true)
      }),
    )
  })

  test('MCP-03 built-in tools keep their names, and rules for servers do not reach them', () => {
    expect(namesTool('shell_exec', { name: 'bash' }, 'allow')).toBe(true)
    expect(namesTool('mcp__bash', { name: 'bash' }, 'deny')).toBe(false)
    expect(namesTool('mcp__bash', { name: 'mcp__bash' }, 'allow')).toBe(false)
    expect(namesTool('mcp__bash', { name: 'mcp__bash' }, 'deny')).toBe(true)
    // A tool that is called as an alias of a built-in one is named by its server.
    expect(namesTool('read_file', tool('read', 'file'), 'allow')).toBe(false)
    expect(namesTool('mcp__read__file', tool('read', 'file'), 'allow')).toBe(true)
  })

  test('MCP-03 what a name tells: one configured server, or none', () => {
    expect(presumedTool('github_create_issue', ['github', 'git'])?.origin).toEqual({
      server: 'github',
      tool: 'create_issue',
    })
    expect(presumedTool('a_b_c', ['a', 'a_b'])).toBeUndefined()
    expect(presumedTool('github_', ['github'])).toBeUndefined()
    expect(presumedTool('other_x', ['github'])).toBeUndefined()
    expect(presumedTool('github_x', 'any')).toBeUndefined()
    expect(presumedTool('mcp__a_b__c', ['a', 'a_b'])?.origin).toEqual({ server: 'a_b', tool: 'c' })
    expect(presumedTool('mcp__gone__x', ['github'])).toBeUndefined()
    expect(presumedTool('mcp__gone__x', 'any')?.name).toBe('gone_x')
    expect(presumedTool('mcp__gone', 'any')).toBeUndefined()
    expect(presumedTool('mcp__gone__*', 'any')).toBeUndefined()
  })
})
