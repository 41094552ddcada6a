import { type Kysely, sql } from 'kysely'

/** MCP servers as the replicas of workers see them, and every description of a tool that was ever seen, with what operators say. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [mcpServer, mcpTool]) await statements.execute(db)
}

const mcpServer = sql`
  create table mcp_server (
    worker text not null,
    replica text not null,
    server text not null,
    beat bigint not null,
    title text not null,
    launch text not null,
    state text not null check (state in ('up', 'away')),
    note text,
    timeout_ms integer not null,
    offered text not null,
    changed_at timestamptz not null default now(),
    primary key (worker, replica, server),
    foreign key (worker, replica) references worker (name, replica) on delete cascade
  )`

const mcpTool = sql`
  create table mcp_tool (
    worker text not null,
    server text not null,
    name text not null,
    sha256 text not null,
    title text,
    description text not null,
    input_schema text not null,
    annotations text not null,
    state text not null default 'waiting' check (state in ('waiting', 'approved', 'refused')),
    seen_at timestamptz not null default now(),
    decided_by text,
    decided_at timestamptz,
    primary key (worker, server, name, sha256)
  )`
