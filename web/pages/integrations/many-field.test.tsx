import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useState } from 'react';
import { click, one, show, type as typeInto } from '../../ui/dom.test-support.ts';
import { ManyField } from './many-field.tsx';

type Settings = Readonly<Record<string, unknown>>;

function Form({ start, onChange }: { readonly start: Settings; readonly onChange: (now: Settings) => void }) {
  const [settings, setSettings] = useState(start);
  const onSettings = (changed: Settings) => {
    setSettings({ ...settings, ...changed });
    onChange({ ...settings, ...changed });
  };
  return <ManyField {...{ settings, onSettings }} />;
}

test('many messages become one from the sixth on, once somebody switches it on', async () => {
  let settings: Settings = { together_above: 0, together_seconds: 30 };
  using _ = show(<Form start={settings} onChange={(now) => (settings = now)} />);

  await click(one('checkbox', 'Put them into one message'));

  assert.deepEqual(settings, { together_above: 5, together_seconds: 30 });
  assert.match(document.body.textContent ?? '', /From the.*th.*within.*s, one message/);
  assert.match(document.body.textContent ?? '', /The first 5 go out by themselves/);
  await typeInto(one('spinbutton', 'From which message on'), '3');
  assert.deepEqual(settings, { together_above: 2, together_seconds: 30 });
  assert.match(document.body.textContent ?? '', /From the.*rd/);
});

test('a number that is too small is not taken', async () => {
  let settings: Settings = { together_above: 5, together_seconds: 30 };
  using _ = show(<Form start={settings} onChange={(now) => (settings = now)} />);

  await typeInto(one('spinbutton', 'Within how many seconds'), '9');

  assert.equal(settings.together_seconds, 30);
});
