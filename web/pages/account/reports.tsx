import { useSuspenseQuery } from '@tanstack/react-query';
import { use } from 'react';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Card } from '../../ui/card.tsx';
import { Note } from '../../ui/note.tsx';
import { Section } from '../../ui/section.tsx';
import { Segments } from '../../ui/segments.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { ClockTime, PersonsTimes } from '../../ui/time.tsx';
import { longTime } from '../../ui/times.ts';
import { AccountPage } from './account-page.tsx';
import { useSetting } from './use-setting.ts';

const t = m.account.reports;

/** Mails that come by themselves. */
export function Reports() {
  const { data: account } = useSuspenseQuery(query.account());
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const reports = useSetting('reports', t.report);
  const reminders = useSetting('reminders', t.reminder);
  const style = use(PersonsTimes);
  const { nextReport: report, nextReminder: reminder } = account;
  return (
    <AccountPage title={t.title}>
      <Section title={t.title} lead={t.lead(account.email)}>
        {!entrance.hasMail && <Note kind="late">{t.noMail}</Note>}
        <Card className="[&>div]:py-0.5">
          <SettingRow
            title={t.report}
            lead={
              account.reports === 'off' ? (
                t.reportOff
              ) : report === null ? (
                t.reportPlanned
              ) : (
                <>
                  {t.next} <time dateTime={report}>{longTime(Date.parse(report), style)}</time>. {t.about}
                </>
              )
            }
          >
            <Segments
              label={t.report}
              value={account.reports}
              choices={Object.entries(t.reports).map(([value, label]) => ({ value, label }))}
              onChange={reports.save}
            />
          </SettingRow>
          <SettingRow
            title={t.reminder}
            lead={
              <>
                {t.reminderLead}{' '}
                {reminder !== null && (
                  <>
                    {t.nextReminder} <ClockTime at={reminder} />.
                  </>
                )}
              </>
            }
          >
            <Segments
              label={t.reminder}
              value={account.reminders}
              choices={Object.entries(t.reminders).map(([value, label]) => ({ value, label }))}
              onChange={reminders.save}
            />
          </SettingRow>
        </Card>
      </Section>
    </AccountPage>
  );
}
