import { useSuspenseQuery } from '@tanstack/react-query';
import { restoreCheck } from '../../acts/restore.ts';
import { query } from '../../app/read.ts';
import { useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { ClockTime, Until } from '../../ui/time.tsx';
import { SettingsPage } from './settings-page.tsx';

const t = m.settings.deletedChecks;

/** The checks that can still be restored, the last deleted first. */
export function DeletedChecks() {
  const { uuid: project } = useProject();
  const { data: checks } = useSuspenseQuery(query.deletedChecks({ project }));
  return (
    <SettingsPage title={t.title}>
      <Section title={t.title} lead={t.lead}>
        {checks.length === 0 ? (
          <Blank title={t.none}>{t.noneLead}</Blank>
        ) : (
          <Table label={t.title} columns={[t.check, t.goes]} hasActions>
            {checks.map(({ uuid, name, tags, deletesAt }) => (
              <TableRow key={uuid}>
                <Cell isWide>
                  <span className="block truncate font-medium">{name || m.checks.unnamed}</span>
                  <span className="text-12 text-ink-3">{tags}</span>
                </Cell>
                <Cell>
                  <Until at={deletesAt} />
                  <span className="text-12 text-ink-3">
                    {' · '}
                    <ClockTime at={deletesAt} />
                  </span>
                </Cell>
                <Cell isEnd>
                  <Button
                    size="small"
                    onClick={() => void restoreCheck({ project, uuid, name: name || m.checks.unnamed })}
                  >
                    {t.restore}
                  </Button>
                </Cell>
              </TableRow>
            ))}
          </Table>
        )}
      </Section>
    </SettingsPage>
  );
}
