import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Chip } from '../../ui/chip.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { AdminPage } from './admin-page.tsx';

const t = m.admin.settings;

/** An explanation from the manual: code stands between backticks, and links are left out. */
function Doc({ text }: { readonly text: string }) {
  const pieces = text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').split('`');
  return pieces.map((piece, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
    place % 2 === 1 ? <code key={place}>{piece}</code> : piece,
  );
}

/** Every setting, and the origin of its value. Secrets are masked by the server. */
export function Settings() {
  const { data: all = [], error } = useQuery(query.instanceSettings());
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = all.filter(({ name, doc }) => `${name} ${doc}`.toLowerCase().includes(wanted));
  const changed = all.filter(({ origin }) => origin !== 'default').length;
  return (
    <AdminPage title={t.title}>
      <PageHead title={t.title} lead={t.lead(all.length, changed)} />
      <Refusal error={error} />
      <Field label={t.search} value={search} onChange={(event) => setSearch(event.target.value)} />
      <Table label={t.title} columns={[t.setting, t.value, t.from]}>
        {shown.map(({ name, value, origin, doc }) => (
          <TableRow key={name}>
            <Cell isWide>
              <code className="text-12 font-medium break-all">{name}</code>
              <span className="block text-12 text-ink-3">
                <Doc text={doc} />
              </span>
            </Cell>
            <Cell isWide>
              <span className="break-all">{value === null || value === '' ? t.empty : value}</span>
            </Cell>
            <Cell>
              <Chip>{origin}</Chip>
            </Cell>
          </TableRow>
        ))}
      </Table>
    </AdminPage>
  );
}
