import type { Domain } from '#platform/operation.ts'

import { chartReport } from './chart-report.ts'
import { cloneReport } from './clone-report.ts'
import { createReport } from './create-report.ts'
import { deleteReport } from './delete-report.ts'
import { executeReportInline } from './execute-report-inline.ts'
import { executeReport } from './execute-report.ts'
import { explainReport } from './explain-report.ts'
import { exportReport } from './export-report.ts'
import { getReport } from './get-report.ts'
import { listReports } from './list-reports.ts'
import { reportsPhrases } from './reports.phrases.ts'
import { scheduleReport } from './schedule-report.ts'
import { unscheduleReport } from './unschedule-report.ts'
import { updateReport } from './update-report.ts'
import { validateReport } from './validate-report.ts'

export const reportsDomain: Domain = {
  name: 'reports',
  title: 'Reports',
  summary: 'Groups and sums over several entities at once, saved and run with parameters, now, as of a time or as they varied.',
  operations: [
    listReports,
    getReport,
    createReport,
    updateReport,
    deleteReport,
    executeReport,
    executeReportInline,
    validateReport,
    cloneReport,
    exportReport,
    chartReport,
    explainReport,
    scheduleReport,
    unscheduleReport,
  ],
  phrases: reportsPhrases,
}
