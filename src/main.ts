#!/usr/bin/env node
import { runCommandLine } from './cli/run-command-line.ts'

process.exitCode = await runCommandLine(process.argv)
