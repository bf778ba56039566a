import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useState } from 'react';
import { all, click, nameOf, one, press, show } from './dom.test-support.ts';
import { Tabs } from './tabs.tsx';

const TABS = [
  { name: 'shell', label: 'Shell' },
  { name: 'python', label: 'Python' },
  { name: 'ruby', label: 'Ruby' },
] as const;

function Languages() {
  const [open, setOpen] = useState<(typeof TABS)[number]['name']>('shell');
  return (
    <Tabs label="Languages" tabs={TABS} open={open} onOpen={setOpen}>
      {`In ${open}`}
    </Tabs>
  );
}

/** The open view, and the tab to which the key Tab leads. */
const open = () => [
  one('tabpanel').textContent,
  nameOf(one('tabpanel')),
  all('tab')
    .filter(({ tabIndex }) => tabIndex === 0)
    .map(nameOf)
    .join(),
];

test('the panel of tabs shows what the chosen tab names', async () => {
  using _ = show(<Languages />);
  assert.deepEqual(open(), ['In shell', 'Shell', 'Shell']);

  await click(one('tab', 'Ruby'));

  assert.deepEqual(open(), ['In ruby', 'Ruby', 'Ruby']);
  assert.deepEqual(
    all('tab').map((tab) => tab.getAttribute('aria-selected')),
    ['false', 'false', 'true'],
  );
  assert.equal(one('tab', 'Ruby').getAttribute('aria-controls'), one('tabpanel').id);
});

test('the arrow keys go round the tabs and take the focus along', async () => {
  using _ = show(<Languages />);
  one('tab', 'Shell').focus();

  await press('ArrowLeft');
  assert.deepEqual([...open(), document.activeElement?.textContent], ['In ruby', 'Ruby', 'Ruby', 'Ruby']);
  await press('ArrowRight');
  assert.deepEqual([...open(), document.activeElement?.textContent], ['In shell', 'Shell', 'Shell', 'Shell']);
});
