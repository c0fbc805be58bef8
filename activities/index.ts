/** Every activity, by the queue whose worker carries it. */
import type { Services } from '#platform/services.ts'
import { analysisJobKind, analysisRunner } from '#tools/intelligence/service.ts'
import { importKind, importRunner, instanceExportKind, instanceExportRunner, wipeKind, wipeRunner } from '#tools/instances/service.ts'
import { reportDeliveryKind, reportDeliveryRunner, reportExportKind, reportExportRunner } from '#tools/reports/service.ts'
import { auditExportKind, auditExportRunner, tenantExportKind, tenantExportRunner } from '#tools/tenants/service.ts'
import { viewExportKind, viewExportRunner } from '#tools/views/service.ts'

import { findCarriedVersion } from '#tools/workflows/service.ts'

import { createFlowActivities } from './flow.ts'
import { createJobActivities } from './jobs.ts'
import { createMessagingActivities } from './messaging/index.ts'
import { createAnalysisActivities, createRecognitionActivities } from './recognition.ts'
import { createRecognizer } from './recognition/recognizer.ts'

export interface Activities {
  /** Short, on the database alone. */
  readonly general: object
  /** Those that the worker of the workflows carries itself, beside them. */
  readonly local: object
  readonly messages: object
  /** Of the engine, in child processes of their own. */
  readonly recognition: object
  readonly jobs: object
  /** Ends the engine's children and the vendors' connections. */
  close(): Promise<void>
}

/** Makes the activities of one process. Engines start with the first file that needs them. */
export function createActivities(services: Services): Activities {
  const { config, log } = services
  const recognizer = createRecognizer({ cacheDir: config.cacheDir, ...config.recognition, log })
  const { close: closeSenders, ...messages } = createMessagingActivities(services)
  const flow = createFlowActivities({ services, findVersion: findCarriedVersion })
  return {
    general: { ...createAnalysisActivities({ services }), ...flow },
    local: flow,
    messages,
    recognition: createRecognitionActivities({ services, recognizer }),
    jobs: createJobActivities({
      services,
      runners: {
        [importKind]: importRunner,
        [analysisJobKind]: analysisRunner,
        [instanceExportKind]: instanceExportRunner,
        [viewExportKind]: viewExportRunner,
        [wipeKind]: wipeRunner,
        [reportExportKind]: reportExportRunner,
        [reportDeliveryKind]: reportDeliveryRunner,
        [auditExportKind]: auditExportRunner,
        [tenantExportKind]: tenantExportRunner,
      },
    }),
    async close() {
      await Promise.all([recognizer.close(), closeSenders()])
    },
  }
}
