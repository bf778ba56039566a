import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { all, click, nameOf, one, show } from './dom.test-support.ts';

function given(mustStay = false) {
  let closed = 0;
  const shown = show(
    <Dialog title="Rename" mustStay={mustStay} onClose={() => closed++}>
      <p>The new name</p>
    </Dialog>,
  );
  return { closed: () => closed, [Symbol.dispose]: () => shown[Symbol.dispose]() };
}

const cancel = () => one('dialog').dispatchEvent(new Event('cancel', { cancelable: true }));

test('a dialog is named by its title and open above the page', () => {
  using _ = given();

  assert.match(one('dialog', 'Rename').textContent, /The new name/);
});

test('Escape, its button and a click beside it ask to close a dialog, a click inside does not', async () => {
  using dialog = given();

  await click(one('dialog').querySelector('p') as HTMLElement);
  assert.equal(dialog.closed(), 0);
  assert.equal(cancel(), false, 'the page closes it, not the browser');
  await click(one('button', 'Close'));
  await click(one('dialog'));
  assert.equal(dialog.closed(), 3);
});

test('a dialog that must stay has no way out', async () => {
  using dialog = given(true);

  cancel();
  await click(one('dialog'));
  assert.equal(dialog.closed(), 0);
  assert.deepEqual(all('button', 'Close'), []);
});

test('the focus begins in the first field, else on a button that changes nothing, else on no button', () => {
  const name = <input aria-label="Name" />;
  const cases = [
    [name, 'Name'],
    [<Button key="button">Delete</Button>, null],
    [
      <>
        <Button>Delete</Button>
        <Button data-changes-nothing>Keep it</Button>
      </>,
      'Keep it',
    ],
  ] as const;
  for (const [first, expected] of cases) {
    using _ = show(
      <Dialog title="Rename" onClose={() => undefined}>
        <input type="hidden" name="id" />
        {first}
      </Dialog>,
    );
    const focused = document.activeElement ?? assert.fail();
    assert.ok(one('dialog').contains(focused));
    assert.equal(focused.tagName === 'DIV' ? null : nameOf(focused), expected);
  }
});
