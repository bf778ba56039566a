import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { ApiError } from '../app/api.ts';
import { all, click, descriptionOf, one, show, type } from './dom.test-support.ts';
import { Field } from './field.tsx';
import { ConfirmDialog, Form, FormError, Submit } from './form.tsx';
import { Select } from './select.tsx';

// Otherwise a timer forgets the sent values, and the test would wait for it.
const QUERIES = new QueryClient({ defaultOptions: { mutations: { gcTime: Number.POSITIVE_INFINITY } } });
notifyManager.setScheduler(queueMicrotask);

type Values = Readonly<Record<string, string>>;

function givenForm(send: (values: Values) => Promise<unknown>, done?: () => void) {
  return show(
    <QueryClientProvider client={QUERIES}>
      <Form send={send} {...(done && { done })}>
        <Field label="Name" name="name" hint="As people call it" />
        <Select label="Role" name="role" defaultValue="member">
          <option value="member">Member</option>
          <option value="manager">Manager</option>
        </Select>
        <FormError />
        <Submit>Save</Submit>
      </Form>
    </QueryClientProvider>,
  );
}

const refusing = (field: string | null) => () =>
  Promise.reject(new ApiError('That is taken.', 'invalid', field));

test('a form sends its values by the names of its fields, and stays busy after success', async () => {
  const sent: Values[] = [];
  let answers = 0;
  using _ = givenForm(
    async (values) => void sent.push(values),
    () => answers++,
  );

  await type(one('textbox', 'Name'), 'Backups');
  await click(one('button', 'Save'));

  assert.deepEqual(sent, [{ name: 'Backups', role: 'member' }]);
  assert.equal(answers, 1);
  assert.equal(one('button', 'Save').getAttribute('aria-busy'), 'true');
});

test('the button of a form is off while it is sent', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  using _ = givenForm(() => promise);

  await click(one('button', 'Save'));
  assert.equal(one('button', 'Save').hasAttribute('disabled'), true);
  await act(async () => reject(new ApiError('Not now.')));

  assert.equal(one('button', 'Save').hasAttribute('disabled'), false);
  assert.equal(one('alert').textContent, 'Not now.');
});

test('what is wrong with a field is said at the field', async () => {
  using _ = givenForm(refusing('name'));
  assert.equal(descriptionOf(one('textbox', 'Name')), 'As people call it');

  await click(one('button', 'Save'));

  assert.equal(one('textbox', 'Name').getAttribute('aria-invalid'), 'true');
  assert.equal(descriptionOf(one('textbox', 'Name')), 'That is taken. As people call it');
  assert.equal(one('combobox', 'Role').getAttribute('aria-invalid'), 'false');
  assert.equal(all('alert').length, 1);
});

test('a choice tells what is wrong with it as well', async () => {
  using _ = givenForm(refusing('role'));

  await click(one('button', 'Save'));

  assert.equal(one('combobox', 'Role').getAttribute('aria-invalid'), 'true');
  assert.equal(descriptionOf(one('combobox', 'Role')), 'That is taken.');
});

test('what is wrong with a field that the form does not have is said once, and belongs to no field', async () => {
  using _ = givenForm(refusing('slug'));

  await click(one('button', 'Save'));

  assert.equal(one('alert').textContent, 'That is taken.');
  assert.equal(one('textbox', 'Name').getAttribute('aria-invalid'), 'false');
});

test('a question does what it asks about only when somebody confirms it, and closes', async () => {
  let [runs, closed] = [0, 0];
  using _ = show(
    <QueryClientProvider client={QUERIES}>
      <ConfirmDialog title="Delete it?" action="Delete" run={async () => runs++} onClose={() => closed++}>
        All its pings are lost.
      </ConfirmDialog>
    </QueryClientProvider>,
  );

  assert.match(one('dialog', 'Delete it?').textContent, /All its pings are lost/);
  assert.equal(document.activeElement, one('button', 'Keep it'));
  await click(one('button', 'Keep it'));
  assert.deepEqual([runs, closed], [0, 1]);
  await click(one('button', 'Delete'));
  assert.deepEqual([runs, closed], [1, 2]);
});
