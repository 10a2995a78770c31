/* A packet engine on top of libipt: a decoder of its own for each stretch, so that an error costs no more than that. */
#include <stdlib.h>
#include <string.h>

#include "tests/judge/libipt.h"

static void libipt_close(struct packet_engine *engine)
{
    libipt_images_free(&engine->images);
    free(engine);
}

static struct packet_engine *libipt_open(const struct flow_input *input, uint64_t at, bool single,
                                         const struct flow_sink *sink, struct error *error)
{
    struct packet_engine *engine = calloc(1, sizeof(*engine));
    (void)at; /* the image is made when the first run begins */
    if (!engine) {
        error_set(error, ERROR_MEMORY, 0, "a packet decoder");
        return NULL;
    }
    engine->input = input;
    engine->sink = *sink;
    engine->single = single;
    if (input->cpu_known)
        engine->cpu = (struct pt_cpu){pcv_intel, input->family, input->model, input->stepping};
    /* A model that libipt does not know has no errata that it knows. */
    if (input->cpu_known && pt_cpu_errata(&engine->errata, &engine->cpu) < 0)
        memset(&engine->errata, 0, sizeof(engine->errata));
    /* Real parts send a FUP in PSB+ while tracing is off (BDM70 and its likes): never an error. */
    engine->errata.bdm70 = 1;
    if (libipt_images_init(&engine->images, input->pages, error))
        return engine;
    libipt_close(engine);
    return NULL;
}

static enum flow_error libipt_run(struct packet_engine *engine, uint64_t begin, uint64_t end, struct flow_stop *stop)
{
    struct pt_config config;
    uint64_t offset = 0;
    pt_config_init(&config);
    config.begin = (uint8_t *)(uintptr_t)engine->input->trace + begin;
    config.end = (uint8_t *)(uintptr_t)engine->input->trace + end;
    engine->begin = begin;
    engine->last = (struct libipt_last){0};
    engine->used_up = engine->tracing = false;
    engine->space = CODE_SPACE_UNKNOWN; /* until a PIP */
    engine->other_image = false;
    *stop = (struct flow_stop){.offset = begin};
    if (!libipt_images_tidy(&engine->images) || !libipt_images_set(&engine->images, engine->space, begin))
        return FLOW_ERROR_IMAGE;
    int status = libipt_walk(engine, &config, &stop->ip, &offset);
    stop->offset = begin + offset;
    stop->space = engine->space;
    stop->tracing = engine->tracing;
    stop->used_up = engine->used_up;
    return libipt_flow_error(status);
}

static const struct hot *libipt_inferred(const struct packet_engine *engine)
{
    return &engine->images.inferred;
}

const struct packet_engine_ops packet_engine_libipt = {libipt_open, libipt_run, libipt_close, libipt_inferred};
