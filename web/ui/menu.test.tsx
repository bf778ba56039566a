import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, click, one, press, show } from './dom.test-support.ts';
import { Menu, MenuAnchor, MenuItem } from './menu.tsx';

async function openMenu() {
  const chosen: string[] = [];
  const item = (name: string, isDisabled = false) => (
    <MenuItem isDisabled={isDisabled} onSelect={() => chosen.push(name)}>
      {name}
    </MenuItem>
  );
  const shown = show(
    <Menu label="More" button="…" className="">
      {item('Pause')}
      {item('Edit')}
      {item('Delete', true)}
      <MenuAnchor href="/docs/">Documentation</MenuAnchor>
      {item('Ping now')}
    </Menu>,
  );
  await click(one('button', 'More'));
  return { chosen, [Symbol.dispose]: () => shown[Symbol.dispose]() };
}

const focused = () => document.activeElement?.textContent;

test('a menu has no items before it is opened, and then the first one has the focus', async () => {
  using _ = show(
    <Menu label="More" button="…" className="">
      <MenuItem onSelect={() => {}}>Pause</MenuItem>
    </Menu>,
  );
  assert.equal(one('button', 'More').getAttribute('aria-haspopup'), 'menu');
  assert.deepEqual(all('menuitem'), []);

  await click(one('button', 'More'));

  assert.equal(one('menu', 'More').contains(one('menuitem', 'Pause')), true);
  assert.equal(focused(), 'Pause');
});

test('the arrow keys go round the items of a menu, past those that are off', async () => {
  using _ = await openMenu();
  const seen = [];
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp']) {
    await press(key);
    seen.push(focused());
  }

  assert.deepEqual(seen, ['Edit', 'Documentation', 'Ping now', 'Pause', 'Ping now', 'Documentation']);
});

test('Home and End lead to the ends of a menu', async () => {
  using _ = await openMenu();

  await press('End');
  assert.equal(focused(), 'Ping now');
  await press('Home');
  assert.equal(focused(), 'Pause');
});

test('a letter leads to the next item that begins with it, and one that none begins with nowhere', async () => {
  using _ = await openMenu();
  const seen = [];
  for (const key of ['p', 'P', 'd', 'x', ' ', 'Shift']) {
    await press(key);
    seen.push(focused());
  }

  assert.deepEqual(seen, [
    'Ping now',
    'Pause',
    'Documentation',
    'Documentation',
    'Documentation',
    'Documentation',
  ]);
});

test('an item that is chosen closes its menu', async () => {
  using menu = await openMenu();

  await click(one('menuitem', 'Edit'));

  assert.deepEqual(menu.chosen, ['Edit']);
  assert.deepEqual(all('menuitem'), []);
});
