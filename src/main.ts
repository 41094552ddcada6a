#!/usr/bin/env node
import { runCommandLine } from './cli/run-command-line.ts'

// Whoever only imports it, so that it is compiled ahead, starts nothing.
if (import.meta.main) process.exitCode = await runCommandLine(process.argv)
