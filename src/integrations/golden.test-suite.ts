import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { EnvSettingTable } from '../lib/env-setting.ts';
import { printedCalls, SCENARIOS, SERVER, UUID } from './alert-event.test-support.ts';
import type { RequestKind } from './kind.ts';
import type { SettingTable, Source } from './setting.ts';

/** Holds what a kind sends in every situation against the golden files in its folder. */
export function goldenSuite(
  folder: string,
  kind: RequestKind<SettingTable, EnvSettingTable>,
  settings: Source,
): void {
  suite(`what ${kind.label} is sent`, () => {
    for (const [name, event] of Object.entries(SCENARIOS)) {
      test(name, (t) => {
        const calls = kind.render(event, settings, SERVER);
        assert.ok(Array.isArray(calls));

        const text = printedCalls(calls);

        assert.ok(!text.includes(UUID), 'nothing in it lets a reader ping');
        t.assert.fileSnapshot(text, join(folder, 'golden', `${name}.golden`), { serializers: [String] });
      });
    }
  });
}
