#include "decode/report/cause_text.h"

#include <stddef.h>

#include "serial/wire/record.h"

const char *gap_cause_text(uint32_t cause)
{
    static const char *const texts[] = {
        [RECORD_GAP_STOPPED] = "output stopped",
        [RECORD_GAP_ERROR] = "operational error",
        [RECORD_GAP_WIRE] = "lost on the wire",
        [RECORD_GAP_DROP] = "no free region: tracing paused",
        [RECORD_GAP_RING] = "overwritten in the ring",
        [RECORD_GAP_COMMAND] = "tracing paused by a command",
        [RECORD_GAP_OVERRUN] = "overwritten by the hardware",
        [RECORD_GAP_CUT] = "the channel accepted nothing for net.stall or uart.stall seconds: tracing ended"};
    return cause < sizeof(texts) / sizeof(texts[0]) && texts[cause] ? texts[cause] : "unknown cause";
}

/* Errors of packets and code have the words of libipt, which users know. */
const char *flow_error_text(enum flow_error error)
{
    static const char *const texts[FLOW_NR_ERRORS] = {
        [FLOW_ERROR_BOUNDARY] = "the flow does not reach the address of the next PSB+",
        [FLOW_ERROR_LOOP] = "a loop without packets: the number of iterations is unknown",
        [FLOW_ERROR_IMAGE] = "a code page could not be used",
        [FLOW_ERROR_NO_CODE] = "no memory mapped at this address",
        [FLOW_ERROR_INSTRUCTION] = "unknown instruction",
        [FLOW_ERROR_OPCODE] = "unknown opcode",
        [FLOW_ERROR_PACKET] = "unknown packet",
        [FLOW_ERROR_CONTEXT] = "unexpected packet context",
        [FLOW_ERROR_MISMATCH] = "trace stream does not match query",
        [FLOW_ERROR_SYNC] = "decoder out of sync",
        [FLOW_ERROR_RETURN] = "compressed return without call",
        [FLOW_ERROR_NO_IP] = "no ip",
        [FLOW_ERROR_MEMORY] = "out of memory",
        [FLOW_ERROR_OTHER] = "internal error",
        [FLOW_ERROR_NO_PSB] = "no PSB before these bytes",
        [FLOW_ERROR_RUN_IN] = "a packet extends into the next PSB",
        [FLOW_ERROR_LEFT_OVER] = "TNT bits or an event left over before a PSB",
        [FLOW_ERROR_CUT] = "the trace ends while tracing is on",
        [FLOW_ERROR_DISAGREE] = "decoding by instructions contradicts decoding by blocks",
        [FLOW_ERROR_EVENT_TRACE] = "a FUP of Event Trace or Trigger Tracing, which is not supported",
        [FLOW_ERROR_SEGMENT] = "the base of the code segment is not known",
    };
    return error < FLOW_NR_ERRORS && texts[error] ? texts[error] : "no error";
}
